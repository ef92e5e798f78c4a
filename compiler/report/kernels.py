"""Which attention kernel the compiler chose for each attention, why, and how its memory grows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.program import Place, Program
from compiler.ir.size import product
from compiler.ir.types import TensorType
from compiler.ops import ExplicitAttention, LatentAttention, ScaledDotProductAttention, SeenMask
from compiler.report.formula import formula

FUSED: Final = "scaled_dot_product_attention"


class Kernel(Frozen):
    """A choice: the node, what is called, the law of its memory, the reason."""

    path: str
    call: str
    law: str
    reason: str


def kernels(program: Program) -> tuple[Kernel, ...]:
    """The choice for every attention of the folded program."""
    return tuple(_chosen(program))


def _chosen(program: Program) -> Iterator[Kernel]:
    for place in program.places():
        if isinstance(place.node.what, ScaledDotProductAttention):
            yield _kernel(place, place.node.what, _by_row(program))
        elif isinstance(place.node.what, LatentAttention):
            yield _latent(place, place.node.what, _by_row(program))


def _by_row(program: Program) -> str:
    """What makes the rows of a batch see differently."""
    mixed = any(isinstance(p.node.what, SeenMask) and _differs(p) for p in program.places())
    return "documents, padding or a given mask need one" if mixed else "padding needs a mask"


def _differs(place: Place) -> bool:
    return len(place.node.types[0].shape) > 2


def _kernel(place: Place, operator: ScaledDotProductAttention, by_row: str) -> Kernel:
    seen, *added = place.graph.types(place.node.inputs)[3:]
    if isinstance(operator, ExplicitAttention):
        return _explicit(place, operator)
    found = _fused(place, operator, seen, by_row)
    for bias in filter(None, added):
        law = f"{found.law}, and a bias of {formula(bias.count)} numbers"
        found = replace(found, law=law, reason=f"{found.reason}; a bias is added to the scores")
    return found


def _latent(place: Place, operator: LatentAttention, by_row: str) -> Kernel:
    """Attention over latent vectors, which has two forms."""
    found = _fused(place, operator, place.graph.types(place.node.inputs)[2], by_row)
    forms = (
        "rows are mapped to keys and values of every head where a sequence begins, later queries "
        "are mapped instead and all heads read the rows as they lie"
    )
    return replace(found, reason=f"{forms}; {found.reason}")


def _fused(
    place: Place,
    operator: ScaledDotProductAttention | LatentAttention,
    seen: TensorType | None,
    by_row: str,
) -> Kernel:
    """Torch's fused kernel, with the mask that it is given."""
    reasons = ["a plain softmax over scaled products"]
    law = "O(N): a log-sum-exp a row"
    if isinstance(operator, ScaledDotProductAttention) and operator.grouped:
        reasons.append("grouped queries read the keys as they lie")
    if seen is None:
        reasons.append(
            "the causal mask is built into the kernel" if operator.causal else "nothing is masked"
        )
    elif seen.optional:
        reasons.append(
            "the causal mask is built into the kernel, and given as a matrix only with a cache"
        )
    else:
        reasons += [*_far(operator), *([by_row] if len(seen.shape) > 2 else [])]
        law += f", and a mask of {formula(seen.count)} booleans"
    return Kernel(place.path, FUSED, law, "; ".join(reasons))


def _far(operator: ScaledDotProductAttention | LatentAttention) -> Iterator[str]:
    """Which distances need a mask."""
    if operator.window:
        yield f"a window of {operator.window} needs a mask"
    if operator.chunk:
        yield f"pieces of {operator.chunk} need a mask"


def _explicit(place: Place, operator: ExplicitAttention) -> Kernel:
    """Attention step by step: why, and the scores that it writes."""
    q, k, *_, sink, added = place.graph.types(place.node.inputs)
    assert q is not None
    assert k is not None
    reasons = []
    if operator.softcap is not None:
        reasons.append("no fused kernel caps scores")
    if sink is not None:
        reasons.append("no fused kernel takes a sink")
    if added is not None:
        reasons.append("no fused kernel adds queries and keys")
    if operator.grouped:
        reasons.append("keys and values are repeated for the queries of their group")
    scores = product((*q.shape[:3], k.shape[2]))
    law = f"O(N²): {formula(scores)} scores in float32"
    if added is not None:
        law += f", and {formula(scores * q.shape[3])} sums"
    return Kernel(place.path, "explicit_attention", law, "; ".join(reasons))
