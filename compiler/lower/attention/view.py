"""What queries may see: the mask of an attention, shared by all that see alike."""

from archspec.components.attention import Attention
from compiler.ir.graph import Value
from compiler.ir.size import Size
from compiler.ir.types import TensorType
from compiler.lower.attention.around import Around
from compiler.lower.scope import Need, Scope, Stream
from compiler.lower.sight import Sight


def view(
    scope: Scope,
    component: Attention,
    around: Around,
    looked: Stream,
    q: Value,
    k: Value,
    written: bool = False,
) -> Value | None:
    """The mask of queries `q` over keys `k`, or None where a kernel needs none: nothing is hidden,
    or what it has built in says it all. `written` is for kernels that have no mask built in."""
    found = hidden(scope, component, around, looked, q, k, written)
    if found is None:
        return None
    sight, mask = found
    name = "seen" if looked is around.stream else "memory_seen"
    return scope.need(Need("seen", (sight,)), mask, name)


def hidden(
    scope: Scope,
    component: Attention,
    around: Around,
    looked: Stream,
    q: Value,
    k: Value,
    written: bool = False,
) -> tuple[Sight, TensorType] | None:
    """What a mask of `q` over `k` is made from, and its type; None where a kernel needs none."""
    batch, _, target, _ = scope.type(q).shape
    if component.mask_edge is not None:
        _covering(scope, around, component.mask_edge, (target, scope.type(k).shape[-2]))
    sight = _sight(scope, component, around, looked, written)
    padded = looked.real is not None
    if sight.plain and not padded and not (sight.causal and around.cached):
        return None
    return sight, _mask(sight, padded, (batch, target, scope.type(k).shape[-2]))


def _covering(scope: Scope, around: Around, edge: str, sizes: tuple[Size, Size]) -> None:
    """Rejects a given mask that is not one of so many queries by so many keys."""
    _, found = around.streams[edge]
    given, wanted = (
        " by ".join(str(scope.letters.fix(size)) for size in pair)
        for pair in (found.shape[1:], sizes)
    )
    if given != wanted:
        scope.reject(
            "AR0301",
            f"`{edge}` must have a row for each query and a column for each key, {wanted}",
            f"it is {given}",
            field="mask",
        )


def _sight(
    scope: Scope, component: Attention, around: Around, looked: Stream, written: bool
) -> Sight:
    both = scope.packs(around.stream.input) and scope.packs(looked.input)
    causal = component.mask == "causal"
    return Sight(
        around.stream.input,
        looked.input,
        causal,
        component.window,
        component.chunk,
        component.segments and both,
        component.mask_edge or "",
        component.prefix or "",
        written and causal,
    )


def _mask(sight: Sight, padded: bool, sizes: tuple[Size, Size, Size]) -> TensorType:
    """The type of a mask: rows of a batch apart where they see differently."""
    batch, target, source = sizes
    by_row = TensorType("bool", (batch, 1, target, source))
    if not sight.plain:
        return by_row if padded or sight.by_row else TensorType("bool", (target, source))
    if not sight.causal:
        return TensorType("bool", (batch, 1, 1, source))
    if padded:
        return by_row
    return TensorType("bool", (target, source), optional=True)
