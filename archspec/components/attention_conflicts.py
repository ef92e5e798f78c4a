"""Fields of an attention that do not go together."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from archspec.components import latent_conflicts
from archspec.components.component import Conflict
from archspec.components.letters import LETTERS

if TYPE_CHECKING:
    from archspec.components.attention import Attention


def conflicts(part: "Attention") -> Iterator[Conflict]:
    """Every relation between fields that does not hold."""
    yield from _groups(part)
    yield from _turned(part)
    yield from _across(part)
    yield from _factor(part)
    yield from _whole_width(part)
    yield from _biases(part)
    yield from _open(part)
    yield from _distances(part)
    yield from latent_conflicts.conflicts(part)


def _groups(part: "Attention") -> Iterator[Conflict]:
    if part.heads % part.kv_heads == 0:
        return
    divisors = [n for n in range(1, min(part.heads, 4096) + 1) if part.heads % n == 0]
    yield Conflict(
        "AR0214",
        "`kv_heads` must divide `heads`",
        "kv_heads",
        f"{part.kv_heads} does not divide {part.heads}",
        (("heads", f"{part.heads} query heads"),),
        help=f"use {one_of(divisors)}; `archc explain AR0214` says why",
    )


def _turned(part: "Attention") -> Iterator[Conflict]:
    if part.rope is None or part.head_dim is None:
        return
    if part.rope.dim and part.rope.dim > part.head_dim:
        yield Conflict(
            "AR0210",
            "rotary width must not exceed `head_dim`",
            "rope",
            f"{part.rope.dim} coordinates turn",
            (("head_dim", f"{part.head_dim} wide"),),
        )
    width = part.rope.turning(part.head_dim)
    if part.rope.dim is None and width % 2:
        yield Conflict(
            "AR0210",
            "rotary width must be even",
            "rope",
            f"{width:g} coordinates cannot be paired",
            (("head_dim", f"{part.head_dim} wide"),),
        )


def _across(part: "Attention") -> Iterator[Conflict]:
    """What needs queries and keys of one sequence."""
    if part.source == "self":
        return
    elsewhere = (("source", "keys come from elsewhere"),)
    for name in ("rope", "position_bias"):
        if getattr(part, name) is not None:
            yield Conflict(
                "AR0211",
                f"`{name}` needs queries and keys of one sequence",
                name,
                "positions of two sequences are not comparable",
                elsewhere,
            )
    for name in ("window", "chunk", "prefix"):
        if getattr(part, name) is not None:
            yield Conflict(
                "AR0211",
                f"`{name}` needs queries and keys of one sequence",
                name,
                "no order between two sequences",
                elsewhere,
            )
    if part.mask == "causal":
        yield Conflict(
            "AR0211",
            "`mask: causal` needs queries and keys of one sequence",
            "mask",
            "no order between two sequences",
            elsewhere,
            help="use `mask: full`",
        )


def _factor(part: "Attention") -> Iterator[Conflict]:
    if part.score != "scaled_dot" and part.scale is not None:
        plain = part.score == "dot"
        yield Conflict(
            "AR0108",
            f"`score: {part.score}` leaves no place for `scale`",
            "scale",
            "a plain product has no factor" if plain else "the sum is weighed by what is learned",
            (("score", "this is the plain product" if plain else "no product here"),),
            help="leave one of them out",
        )


def _whole_width(part: "Attention") -> Iterator[Conflict]:
    norm = part.qk_norm
    if norm is not None and norm.over == "all" and norm.when == "after_rope":
        yield Conflict(
            "AR0108",
            "`over: all` does not go with `when: after_rope`",
            "qk_norm",
            "the whole width is divided before there are heads, and heads are turned",
            help="write `when: before_rope` or `over: head`",
        )


def _open(part: "Attention") -> Iterator[Conflict]:
    near = part.window is not None or part.chunk is not None
    if part.prefix is not None and part.source == "self" and part.mask != "causal" and not near:
        yield Conflict(
            "AR0108",
            "`prefix` has nothing to lift",
            "prefix",
            "every position is seen by all",
            (("mask", "no order here"),) if part.mask == "full" else (),
            help="write `mask: causal`, `window` or `chunk`, or leave `prefix` out",
        )


def _biases(part: "Attention") -> Iterator[Conflict]:
    if extra := part.bias - part.projections:
        absent = "".join(letter for letter in LETTERS if letter in extra)
        yield Conflict(
            "AR0205",
            "`bias` names projections that are not there",
            "bias",
            f"no projection `{absent}`",
            (("projections", "these are there"),),
        )


def _distances(part: "Attention") -> Iterator[Conflict]:
    if part.position_bias is None or part.position_bias.word != "disentangled":
        return
    if part.kv_heads != part.heads:
        yield Conflict(
            "AR0231",
            "`disentangled` needs a key head for every query head",
            "kv_heads",
            f"{part.kv_heads} key heads",
            (("heads", f"{part.heads} query heads"), ("position_bias", "both look at distances")),
        )
    if not {"q", "k"} <= part.projections:
        yield Conflict(
            "AR0231",
            "`disentangled` maps distances as it maps queries and keys",
            "projections",
            "`q` and `k` must be there",
            (("position_bias", "these are mapped too"),),
        )


def one_of(numbers: list[int]) -> str:
    """ "1, 2, 4 or 8"; the middle is left out when there are many."""
    shown = [str(n) for n in numbers]
    if len(shown) > 10:
        shown = [*shown[:5], "...", *shown[-3:]]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} or {shown[-1]}"
