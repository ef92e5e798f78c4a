"""Scaled dot product attention: as a fused kernel computes it, and step by step."""

from collections.abc import Sequence
from typing import Any

from compiler.shadow.kinds import BOOLEAN, FLOAT32
from compiler.shadow.pointwise import dropout, is_mask, where
from compiler.shadow.strides import laid_out
from compiler.shadow.tensor import Tensor, keep, made, through


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """[B, H, T, K], [B, G, S, K] and [B, G, S, W] to [B, H, T, W]."""
    rest = (dropout_p, is_causal, scale, enable_gqa)

    def attend(given: Sequence[Tensor]) -> Tensor:
        q, k, v, *masks = given
        mask = masks[0] if masks else None
        return eager(q, k, v, mask, *rest) if q.tape.eager else fused(q, k, v, mask)

    entered = [x for x in (query, key, value, attn_mask) if x is not None]
    with query.tape.again("selective") as forgets:
        result = attend(entered)
    return through(result, entered, attend) if forgets else result


def fused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Keeps queries, keys, values, the result, its log-sum-exps in float32 and the mask, which has
    become one of floats. The result lies as the queries do."""
    if mask is not None and is_mask(mask):
        mask = where(mask, *(made(q.tape, (), q.dtype) for _ in range(2)))
    given = [q, k, v] if mask is None else [q, k, v, mask]
    shape = (*q.shape[:-1], v.shape[-1])
    parts = [_heads_inside(each) if each.grad else None for each in given]

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else made(g.tape, *each) for each in parts)

    result = made(q.tape, shape, q.dtype, given, laid_out(shape, (q,)), back)
    rows = made(q.tape, q.shape[:-1], FLOAT32)
    keep(result, *given, result, rows)
    return result


def _heads_inside(x: Tensor) -> tuple[Any, ...]:
    """What makes a gradient, in which the heads of a position lie side by side."""
    _, heads, length, width = map(int, x.shape)
    strides = (length * heads * width, width, heads * width, 1)
    return x.shape, x.dtype, (), strides


def eager(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    grouped: bool,
) -> Tensor:
    """Heads are laid out one after the other; every score is written, scaled, masked, turned into
    shares and multiplied with values."""
    if grouped:
        group = q.shape[1] // k.shape[1]
        k = k.repeat_interleave(group, dim=1)
        v = v.repeat_interleave(group, dim=1)
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    scores: Any = (q @ k.transpose(-2, -1)) * (0.125 if scale is None else scale)
    if is_causal:
        mask = made(q.tape, (q.shape[2], k.shape[2]), BOOLEAN).tril()
    if mask is not None:
        masked = is_mask(mask)
        scores = scores.masked_fill(~mask, float("-inf")) if masked else scores + mask
    return dropout(scores.softmax(dim=-1), dropout_p, True) @ v
