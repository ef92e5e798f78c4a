"""Several values as one: side by side, one behind the other, their mean, or pair by pair."""

from collections.abc import Sequence

from archspec.components.concat import Concat as Written
from archspec.components.contrast import Contrast as Compared
from archspec.components.mean_of import MeanOf
from compiler.ir.graph import Value
from compiler.ir.size import as_poly
from compiler.lower.scope import Scope, Stream
from compiler.ops import Add, AllReal, Concat, Contrast, Join, JoinMasks, Scale


def joined(
    scope: Scope, name: str, component: Written | MeanOf, streams: Sequence[Stream]
) -> Stream:
    """The values of some streams as one; it goes along with the first where places stay."""
    if isinstance(component, Written) and component.axis == "position":
        return _behind(scope, name, streams)
    first, *others = streams
    x = first.value
    for index, other in enumerate(others, 1):
        last = index == len(others) and isinstance(component, Written)
        operator = Concat() if isinstance(component, Written) else Add()
        x = scope.op(name if last else f"{name}_{index}", operator, x, other.value)
    if isinstance(component, MeanOf):
        x = scope.op(name, Scale(1 / len(streams)), x)
    return Stream(x, first.real, first.input)


def contrast(scope: Scope, name: str, component: Compared, towers: Sequence[Value]) -> Value:
    """[B, D] and [B, D] to [B, B]."""
    fixed = None if component.temperature == "learned" else float(component.temperature)
    return scope.op(name, Contrast(fixed, component.bias), *towers)


def _behind(scope: Scope, name: str, streams: Sequence[Stream]) -> Stream:
    """Sequences one behind the other, and their padding where any has some."""
    first, *others = streams
    x, real = first.value, first.real
    padded = any(stream.real is not None for stream in streams)
    if padded and real is None:
        real = scope.op(f"{name}_real", AllReal(), x)
    for index, other in enumerate(others, 1):
        lengths = [as_poly(scope.sequence(v, "concat")[1]) for v in (x, other.value)]
        count = scope.letters.derived("joined", lengths[0] + lengths[1], f"positions of {name}")
        id_ = name if index == len(others) else f"{name}_{index}"
        if real is not None:
            more = other.real or scope.op(f"{name}_real", AllReal(), other.value)
            real = scope.op(f"{name}_real", JoinMasks(count), real, more)
        x = scope.op(id_, Join(count), x, other.value)
    return Stream(x, real, name)
