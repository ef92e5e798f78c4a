"""Packed documents: what knows nothing of their borders, or hides them from others, is refused."""

from archspec.components.component import Component
from archspec.components.contrast import Contrast
from archspec.components.conv import Conv
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, Label
from compiler.lower.inputs import origins, stepwise


def mixed_documents(spec: Spec) -> tuple[Diagnostic, ...]:
    """What reads across the positions of an input that packs several documents into a row, or
    counts them anew, so that nobody behind it knows which document they are of."""
    origin = origins(spec)
    packed = {name for name, found in spec.inputs.items() if found.segments}
    return tuple(
        Diagnostic(
            "AR0264",
            f"`{component.word}` would mix the documents of a packed row",
            Label(span, f"`{heads[0]}` has `segments`"),
            help="give each document a row of its own, or let attention alone mix positions",
        )
        for node in spec.graph.values()
        if (heads := [origin[edge] for edge in node.inputs if origin.get(edge) in packed])
        for component, span in node.placed
        if _across(component)
    )


def _across(component: Component) -> bool:
    """Whether it reads from one position into the next, or gives others than it reads."""
    match component:
        case Conv(kernel=kernel, stride=stride, pad=pad):
            return max(*kernel, *stride) > 1 or pad not in ("same", "valid", 0)
        case Contrast():
            return False
        case _:
            return not stepwise(component)
