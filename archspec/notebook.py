"""A spec as a notebook shows it."""

from collections.abc import Iterator

from archspec.model.spec import Node, Spec
from archspec.model.stack import Stack
from archspec.source.markup import paragraph, table


def spec_html(spec: Spec) -> str:
    """Its name, its sizes and its graph, each in a line of the spec."""
    parts = [paragraph(": ".join(filter(None, (spec.name, spec.about))))]
    if spec.dims:
        parts.append(table("sizes", tuple(spec.dims), [[str(n) for n in spec.dims.values()]]))
    parts.append(table("graph", ("name", "is", "of", "reads", "line"), _nodes(spec), (4,)))
    if spec.budget:
        limits = [(key, str(limit.limit)) for key, limit in spec.budget.items()]
        parts.append(table("budget", ("total", "limit"), limits, (1,)))
    return "\n".join(parts)


def _nodes(spec: Spec) -> Iterator[tuple[str, ...]]:
    for one in spec.inputs.values():
        shape = ", ".join(str(size) for size in one.shape)
        yield one.name, "input", one.kind + (f" [{shape}]" if shape else ""), "", ""
    for node in spec.graph.values():
        name = f"{node.name}, an output" if node.name in spec.outputs else node.name
        line = str(node.span.line) if node.span.file else ""
        yield name, *_what(node), ", ".join(node.inputs), line


def _what(node: Node) -> tuple[str, str]:
    if not isinstance(node.component, Stack):
        settings = node.component.model_dump(exclude_unset=True, exclude_none=True)
        said = ", ".join(f"{k}: {v}" for k, v in settings.items() if not isinstance(v, dict))
        return node.component.word, said
    stack = node.component
    layers = [" → ".join(layer.sublayers) for layer in stack.variants]
    return "stack", f"{stack.repeat} layers of {'; or '.join(dict.fromkeys(layers))}"
