"""Packed documents: what would mix them, because it knows nothing of their borders, is refused."""

from collections.abc import Iterator

from archspec.components.component import Component
from archspec.components.conv import Conv
from archspec.components.rnn import Rnn
from archspec.model.spec import Node, Spec
from archspec.model.stack import Stack
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.span import Span
from compiler.lower.inputs import origins


def mixed_documents(spec: Spec) -> tuple[Diagnostic, ...]:
    """Convolutions and recurrences over an input that packs several documents into a row."""
    origin = origins(spec)
    packed = {name for name, found in spec.inputs.items() if found.segments}
    return tuple(
        Diagnostic(
            "AR0264",
            f"`{component.word}` would mix the documents of a packed row",
            Label(span, f"`{origin[name]}` has `segments`"),
            help="give each document a row of its own, or let attention alone mix positions",
        )
        for name, node in spec.graph.items()
        if origin[name] in packed
        for component, span in _placed(node)
        if _across(component)
    )


def _across(component: Component) -> bool:
    """Whether it reads from one position into the next."""
    return isinstance(component, Rnn) or (isinstance(component, Conv) and max(component.kernel) > 1)


def _placed(node: Node) -> Iterator[tuple[Component, Span]]:
    """The component of a node, or every mixer of its stack, with its place."""
    if not isinstance(node.component, Stack):
        yield node.component, node.span
        return
    for layer in node.component.variants:
        for sub in layer.sublayers.values():
            for mixer in sub.mixers.values():
                yield mixer.component, mixer.span
