"""A picture in Mermaid, the language that code hosts draw inside Markdown."""

from collections.abc import Iterator

from compiler.backends.view.picture import Box, Frame

SHAPES = {
    "input": ("([", "])"),
    "port": ("((", "))"),
    "operator": ("[", "]"),
    "output": ("([", "])"),
}


def mermaid(frame: Frame) -> str:
    """A flowchart from top to bottom; frames are subgraphs, optional values dashed."""
    names = {box.id: f"n{index}" for index, box in enumerate(frame.boxes())}
    lines = ["---", f'title: "{_title(frame.heading)}"', "---", "flowchart TB"]
    lines += _inside(frame, names, iter(range(1_000_000)), "  ")
    for source, target, wire in frame.through():
        arrow = "-.->" if wire.optional else "-->"
        label = f"|{_quoted(wire.label)}|" if wire.label else ""
        lines.append(f"  {names[source]} {arrow}{label} {names[target]}")
    return "\n".join(lines) + "\n"


def _inside(
    frame: Frame, names: dict[str, str], count: Iterator[int], indent: str
) -> Iterator[str]:
    for part in frame.parts:
        if isinstance(part, Box):
            opening, closing = SHAPES[part.kind]
            words = "\n".join(filter(None, (part.title, part.note)))
            yield f"{indent}{names[part.id]}{opening}{_quoted(words)}{closing}"
        else:
            yield f"{indent}subgraph f{next(count)}[{_quoted(part.heading)}]"
            yield from _inside(part, names, count, indent + "  ")
            yield f"{indent}end"


def _quoted(words: str) -> str:
    """Words as a Mermaid string; whatever could be markup is an entity."""
    return '"' + "".join(_entity(c) for c in words) + '"'


def _entity(c: str) -> str:
    if c == "\n":
        return "<br>"
    if not c.isprintable():
        return " "
    return f"#{ord(c)};" if c in '"#&<>;`\\' else c


def _title(words: str) -> str:
    """Words inside a double-quoted YAML string; a title has no entities, so no markup either."""
    flat = "".join(c if c.isprintable() and c not in "<>&" else " " for c in words)
    return flat.replace("\\", "\\\\").replace('"', '\\"')
