"""What a rename rule may do to a tensor on its way: eight operators, each with its inverse."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from archspec.source.frozen import Frozen
from compiler.importers.lazy import Lazy, Piece, join
from compiler.importers.misfit import Misfit
from compiler.importers.regroup import Rearrange, Regroup, parse_regroup

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

Sizes: TypeAlias = Mapping[str, int]
Shape: TypeAlias = tuple[int, ...]


class Transpose(Frozen):
    """The last two dimensions exchanged (Conv1D stores [in, out]); a vector stays as it is."""

    def forward(self, tensor: Lazy, sizes: Sizes) -> Lazy | Misfit:
        """The transposed tensor."""
        if len(tensor.shape) < 2:
            return tensor
        found = tensor.mapped(self.before(tensor.shape), lambda words: words.swapaxes(-1, -2))
        if tensor.stored is None or len(tensor.shape) > 2:
            return found
        return replace(found, stored=replace(tensor.stored, turned=not tensor.stored.turned))

    backward = forward

    def before(self, shape: Shape) -> Shape:
        """The shape it has before."""
        return shape if len(shape) < 2 else (*shape[:-2], shape[-1], shape[-2])


class Squeeze(Frozen):
    """A leading dimension of size 1 removed."""

    def forward(self, tensor: Lazy, sizes: Sizes) -> Lazy | Misfit:
        """The tensor without its first dimension."""
        if tensor.shape[:1] != (1,):
            return Misfit(f"squeeze wants a leading dimension of 1 in {list(tensor.shape)}")
        return tensor.mapped(tensor.shape[1:], lambda words: words[0])

    def backward(self, tensor: Lazy, sizes: Sizes) -> Lazy | Misfit:
        """The tensor with a first dimension of 1."""
        return tensor.mapped(self.before(tensor.shape), lambda words: words[None])

    def before(self, shape: Shape) -> Shape:
        """The shape it has before."""
        return (1, *shape)


class Unsqueeze(Frozen):
    """A leading dimension of size 1 added: a token that is stored as a vector."""

    def forward(self, tensor: Lazy, sizes: Sizes) -> Lazy | Misfit:
        """The tensor with a first dimension of 1."""
        return Squeeze().backward(tensor, sizes)

    def backward(self, tensor: Lazy, sizes: Sizes) -> Lazy | Misfit:
        """The tensor without its first dimension."""
        return Squeeze().forward(tensor, sizes)

    def before(self, shape: Shape) -> Shape:
        """The shape it has before."""
        return shape[1:]


class Split(Frozen):
    """One tensor to several along `axis`, each as long as its target."""

    axis: int = 0

    def forward(self, tensor: Lazy, goals: Sequence[Shape], sizes: Sizes) -> list[Lazy] | Misfit:
        """The parts; `goals` are their shapes."""
        axis = self.axis
        if any(len(shape) <= axis for shape in (tensor.shape, *goals)):
            return Misfit(f"there is no dimension {axis} to split in {list(tensor.shape)}")
        lengths = [goal[axis] for goal in goals]
        if sum(lengths) != tensor.shape[axis]:
            wanted = " + ".join(map(str, lengths))
            return Misfit(f"{tensor.shape[axis]} along dimension {axis} is not {wanted}")
        starts = [sum(lengths[:n]) for n in range(len(lengths))]
        return [_slice(tensor, axis, s, s + n, 1) for s, n in zip(starts, lengths, strict=True)]

    def backward(self, parts: Sequence[Lazy], sizes: Sizes) -> Lazy | Misfit:
        """The concatenation."""
        return join(parts, self.axis)


class Deinterleave(Frozen):
    """Rows (dimension 0) dealt to the targets in turn: gate, up, gate, up."""

    def forward(self, tensor: Lazy, goals: Sequence[Shape], sizes: Sizes) -> list[Lazy] | Misfit:
        """The parts, equal in length."""
        count = len(goals)
        if not tensor.shape or tensor.shape[0] % count:
            return Misfit(f"the rows of {list(tensor.shape)} cannot be dealt to {count}")
        return [_slice(tensor, 0, n, tensor.shape[0], count) for n in range(count)]

    def backward(self, parts: Sequence[Lazy], sizes: Sizes) -> Lazy | Misfit:
        """The rows of all parts in turn."""
        shape = parts[0].shape
        if not shape or any(part.shape != shape for part in parts):
            return Misfit("parts that are dealt in turn have one shape")

        def load() -> "Array":
            import numpy as np

            stacked = np.stack([part.load() for part in parts], axis=1)
            return stacked.reshape(shape[0] * len(parts), *shape[1:])

        return Lazy((shape[0] * len(parts), *shape[1:]), parts[0].dtype, load)


class Unstack(Frozen):
    """One tensor to one for each `{j}` of the targets, along dimension 0 (experts)."""

    def forward(self, tensor: Lazy, sizes: Sizes) -> list[Lazy] | Misfit:
        """The members, in the order of their index."""
        if not tensor.shape:
            return Misfit("a plain number cannot be unstacked")
        return [_member(tensor, n) for n in range(tensor.shape[0])]

    def backward(self, members: Sequence[Lazy], sizes: Sizes) -> Lazy | Misfit:
        """The members along a new first dimension."""
        shape = members[0].shape
        if any(member.shape != shape for member in members):
            return Misfit("members that are stacked have one shape")

        def raised(member: Lazy) -> Lazy:
            return member.mapped((1, *shape), lambda words: words[None])

        return join([raised(member) for member in members])


class Stack(Frozen):
    """One tensor for each `{j}` of the source to one, along a new dimension 0."""

    def forward(self, members: Sequence[Lazy], sizes: Sizes) -> Lazy | Misfit:
        """The members along a new first dimension."""
        return Unstack().backward(members, sizes)

    def backward(self, tensor: Lazy, sizes: Sizes) -> list[Lazy] | Misfit:
        """The members, in the order of their index."""
        return Unstack().forward(tensor, sizes)


Single: TypeAlias = Transpose | Squeeze | Unsqueeze | Rearrange
Apart: TypeAlias = Split | Deinterleave | Regroup
Operator: TypeAlias = Single | Apart | Unstack | Stack

PLAIN: Mapping[str, Operator] = {
    "transpose": Transpose(),
    "split": Split(),
    "unstack": Unstack(),
    "deinterleave": Deinterleave(),
    "stack": Stack(),
    "squeeze": Squeeze(),
    "unsqueeze": Unsqueeze(),
}
CALL = re.compile(r"(split|regroup)\((.*)\)")


def parse_operator(text: str, targets: int) -> Operator | Misfit:
    """The operator written as `text` in a rule with `targets` targets."""
    said = text.strip()
    if said in PLAIN:
        return PLAIN[said]
    call = CALL.fullmatch(said)
    if call is None:
        names = ", ".join([*PLAIN, "regroup(...)"])
        return Misfit(f"`{said}` is not an operator; there are {names}")
    if call[1] == "regroup":
        return parse_regroup(call[2], targets)
    if call[2] not in {"0", "1", "2"}:
        return Misfit(f"`{said}` names no dimension; `split(1)` does")
    return Split(int(call[2]))


def _slice(tensor: Lazy, axis: int, start: int, stop: int, step: int) -> Lazy:
    length = len(range(start, stop, step))
    shape = (*tensor.shape[:axis], length, *tensor.shape[axis + 1 :])
    pick = (*(slice(None),) * axis, slice(start, stop, step))
    cut = tensor.mapped(shape, lambda words: words[pick])
    return replace(cut, piece=Piece(tensor, axis, start)) if step == 1 else cut


def _member(tensor: Lazy, index: int) -> Lazy:
    return tensor.mapped(tensor.shape[1:], lambda words: words[index])
