"""`regroup(pattern)`: fused projections whose rows are grouped by head, told apart and put back."""

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

from archspec.source.frozen import Frozen
from compiler.importers.lazy import Lazy
from compiler.importers.misfit import Misfit

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

AXIS = re.compile(r"\(([A-Za-z0-9_+/* ]+)\)|([A-Za-z_][A-Za-z0-9_]*|[1-9][0-9]*)")
TERM = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[1-9][0-9]*|[+/*]")


class Regroup(Frozen):
    """The rows (dimension 0) as axes, one of which is told apart into the targets.

    `regroup(H 3 K)` is GPT-NeoX's layout: for each head, its rows of q, k and v. The axis told
    apart is the one in parentheses, else the one number that equals the number of targets; how many
    of it a target takes follows from the target's shape, so `regroup(G (H/G+2) K)` reads Falcon's
    q, k, v. Names are sizes of the spec; one unnamed size may be inferred.
    """

    axes: tuple[str, ...]
    apart: int

    def __str__(self) -> str:
        said = [f"({a})" if n == self.apart else a for n, a in enumerate(self.axes)]
        return f"regroup({' '.join(said)})"

    def forward(
        self, tensor: Lazy, goals: Sequence[tuple[int, ...]], sizes: Mapping[str, int]
    ) -> list[Lazy] | Misfit:
        """The targets' rows; `goals` are their shapes."""
        axes = solve(self.axes, tensor.shape[0], sizes)
        if isinstance(axes, Misfit):
            return axes
        others = prod(axes) // axes[self.apart]
        counts = [goal[0] // others for goal in goals]
        if sum(counts) != axes[self.apart] or any(goal[0] % others for goal in goals):
            rows = [goal[0] for goal in goals]
            return Misfit(f"{self} cannot give {rows} rows out of {tensor.shape[0]}")
        starts = [sum(counts[:n]) for n in range(len(counts))]
        return [self._part(tensor, axes, s, n) for s, n in zip(starts, counts, strict=True)]

    def _part(self, tensor: Lazy, axes: tuple[int, ...], start: int, count: int) -> Lazy:
        rest = tensor.shape[1:]
        rows = prod(axes) // axes[self.apart] * count
        pick = (*(slice(None) for _ in axes[: self.apart]), slice(start, start + count))
        return tensor.mapped(
            (rows, *rest), lambda words: words.reshape(*axes, *rest)[pick].reshape(rows, *rest)
        )

    def backward(self, parts: Sequence[Lazy], sizes: Mapping[str, int]) -> Lazy | Misfit:
        """The fused tensor of which `parts` are the targets."""
        total = sum(part.shape[0] for part in parts)
        axes = solve(self.axes, total, sizes)
        if isinstance(axes, Misfit):
            return axes
        others = prod(axes) // axes[self.apart]
        if any(part.shape[0] % others for part in parts):
            return Misfit(f"{self} cannot hold {[part.shape[0] for part in parts]} rows")
        rest = parts[0].shape[1:]

        def load() -> "Array":
            import numpy as np

            shapes = [
                (*axes[: self.apart], part.shape[0] // others, *axes[self.apart + 1 :], *rest)
                for part in parts
            ]
            grouped = [p.load().reshape(shape) for p, shape in zip(parts, shapes, strict=True)]
            return np.concatenate(grouped, axis=self.apart).reshape(total, *rest)

        return Lazy((total, *rest), parts[0].dtype, load)


class Rearrange(Frozen):
    """The rows as axes, put in another order: `regroup(H 2 h -> H h 2)`."""

    axes: tuple[str, ...]
    order: tuple[int, ...]

    def __str__(self) -> str:
        return f"regroup({' '.join(self.axes)} -> {' '.join(self.axes[n] for n in self.order)})"

    def forward(self, tensor: Lazy, sizes: Mapping[str, int]) -> Lazy | Misfit:
        """The rows in the new order."""
        axes = solve(self.axes, tensor.shape[0], sizes)
        return axes if isinstance(axes, Misfit) else _permuted(tensor, axes, self.order)

    def backward(self, tensor: Lazy, sizes: Mapping[str, int]) -> Lazy | Misfit:
        """The rows in the old order."""
        axes = solve(self.axes, tensor.shape[0], sizes)
        if isinstance(axes, Misfit):
            return axes
        back = tuple(self.order.index(n) for n in range(len(self.order)))
        return _permuted(tensor, tuple(axes[n] for n in self.order), back)

    def before(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape it has before."""
        return shape


def _permuted(tensor: Lazy, axes: tuple[int, ...], order: tuple[int, ...]) -> Lazy:
    rest = tensor.shape[1:]
    whole = (*order, *range(len(order), len(order) + len(rest)))
    return tensor.mapped(
        tensor.shape,
        lambda words: words.reshape(*axes, *rest).transpose(whole).reshape(tensor.shape),
    )


def parse_regroup(pattern: str, targets: int) -> Regroup | Rearrange | Misfit:
    """The operator `regroup(pattern)` for a rule with `targets` targets."""
    left, arrow, right = pattern.partition("->")
    axes, marked = _axes(left)
    if not axes:
        return Misfit(f"`{pattern.strip()}` is not a list of sizes")
    if arrow:
        wanted, _ = _axes(right)
        if targets != 1 or sorted(wanted) != sorted(axes) or len(set(axes)) != len(axes):
            return Misfit("`->` puts the same distinct sizes of one tensor in another order")
        return Rearrange(axes, tuple(axes.index(axis) for axis in wanted))
    places = marked or [n for n, axis in enumerate(axes) if axis == str(targets)]
    if len(places) != 1:
        return Misfit(f"put the axis that is told apart into {targets} targets in parentheses")
    return Regroup(axes, places[0])


def _axes(text: str) -> tuple[tuple[str, ...], list[int]]:
    """The axes of a pattern and the places of those in parentheses; none if it is malformed."""
    hits = list(AXIS.finditer(text))
    left_over = AXIS.sub("", text).strip()
    if left_over:
        return (), []
    axes = tuple((hit[1] or hit[2]).replace(" ", "") for hit in hits)
    return axes, [n for n, hit in enumerate(hits) if hit[1] is not None]


def solve(axes: Sequence[str], rows: int, sizes: Mapping[str, int]) -> tuple[int, ...] | Misfit:
    """The size of each axis so that their product is `rows`; at most one may be unknown."""
    known = [_evaluate(axis, sizes) for axis in axes]
    unknown = [n for n, size in enumerate(known) if size is None]
    if len(unknown) > 1:
        names = ", ".join(f"`{axes[n]}`" for n in unknown)
        return Misfit(f"the sizes {names} are not named in the spec and only one can be inferred")
    product = prod(size for size in known if size is not None)
    if product == 0 or rows % product or (not unknown and product != rows):
        return Misfit(f"{rows} rows are not `{' '.join(axes)}`")
    return tuple(rows // product if size is None else size for size in known)


def _evaluate(axis: str, sizes: Mapping[str, int]) -> int | None:
    """`H/G+2` in integers: products and whole quotients from the left, then sums."""
    total = 0
    for term in axis.split("+"):
        tokens = TERM.findall(term)
        value: int | None = _value(tokens[0], sizes) if tokens else None
        for operator, name in zip(tokens[1::2], tokens[2::2], strict=False):
            factor = _value(name, sizes)
            if value is None or not factor or (operator == "/" and value % factor):
                return None
            value = value * factor if operator == "*" else value // factor
        if value is None:
            return None
        total += value
    return total


def _value(name: str, sizes: Mapping[str, int]) -> int | None:
    return int(name) if name.isdigit() else sizes.get(name)
