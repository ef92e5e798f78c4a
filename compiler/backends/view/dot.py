"""A picture in DOT, the language of Graphviz."""

from collections.abc import Iterator

from compiler.backends.view.picture import Box, Frame

SHAPES = {"input": "ellipse", "port": "circle", "operator": "box", "output": "ellipse"}


def dot(frame: Frame) -> str:
    """A directed graph from top to bottom; frames are clusters, optional values dashed."""
    names = {box.id: f"n{index}" for index, box in enumerate(frame.boxes())}
    lines = ["digraph {", f"  label={_quoted(frame.heading)};", "  rankdir=TB;"]
    lines += [
        '  node [fontname="sans-serif", fontsize=11];',
        '  edge [fontname="monospace", fontsize=9];',
    ]
    lines += _inside(frame, names, iter(range(1_000_000)), "  ")
    for source, target, wire in frame.through():
        style = ", style=dashed" if wire.optional else ""
        lines.append(f"  {names[source]} -> {names[target]} [label={_quoted(wire.label)}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _inside(
    frame: Frame, names: dict[str, str], count: Iterator[int], indent: str
) -> Iterator[str]:
    for part in frame.parts:
        if isinstance(part, Box):
            words = _quoted("\n".join(filter(None, (part.title, part.note))))
            yield f"{indent}{names[part.id]} [label={words}, shape={SHAPES[part.kind]}];"
        else:
            yield f"{indent}subgraph cluster_{next(count)} {{"
            yield f"{indent}  label={_quoted(part.heading)}; style=dashed;"
            yield from _inside(part, names, count, indent + "  ")
            yield f"{indent}}}"


def _quoted(words: str) -> str:
    """Words as a DOT string, in which a backslash would begin an escape."""
    flat = "".join(c if c.isprintable() or c == "\n" else " " for c in words)
    safe = flat.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + safe.replace("\n", "\\n") + '"'
