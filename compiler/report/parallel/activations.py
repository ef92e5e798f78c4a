"""What a rank keeps for backward passes, by where it lies among tensor ranks."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, letter, product, total, value
from compiler.passes.cost import Costs
from compiler.passes.memory import Memory, either
from compiler.passes.mixers import LENGTHS
from compiler.passes.setting import Setting
from compiler.report.parallel.degrees import C, Degrees, T, shard
from compiler.report.parallel.layout import all_layers, piece_of
from compiler.report.parallel.lying import Lying
from compiler.report.parallel.placed import Placed
from compiler.report.parallel.schedule import waiting
from compiler.shadow import Saved, Saves
from compiler.shadow.length import formula


class Kept(Frozen):
    """Bytes of tensors on one rank.

    Attributes:
        units: of its own heads, hidden units and columns of a vocabulary.
        between: of its part of the sequences between regions, or of whole ones.
        whole: what every tensor rank has to have all of.
    """

    units: Poly
    between: Poly
    whole: Poly

    @property
    def total(self) -> Poly:
        """All that it keeps."""
        return self.units + self.between + self.whole

    def __add__(self, other: "Kept") -> "Kept":
        return Kept(
            self.units + other.units, self.between + other.between, self.whole + other.whole
        )

    def __mul__(self, times: Poly) -> "Kept":
        return Kept(self.units * times, self.between * times, self.whole * times)


Sizes = list[tuple[Placed, Poly]]
"""The bytes of a tensor on a rank, before units are shared out, by where its parts lie."""
NONE: Final = Kept(as_poly(0), as_poly(0), as_poly(0))


class Activations(Frozen):
    """Tensors that forwards make and backward passes need, on a rank of every stage.

    They are those of the generated module, each where the operator that makes it lies. A region
    keeps its own part of what it gathered (Korthikanti et al. 2022, section 4.2.2). The loss is not
    among them.
    """

    costs: Costs
    memory: Memory
    lying: Lying
    degrees: Degrees
    setting: Setting
    sizes: Mapping[str, int]

    def stage(self, stage: int) -> Kept:
        """At the moment at which a stage keeps most."""
        moments = waiting(self.degrees, stage)
        pieces = {piece: self._piece(piece) for piece in moments[0]}
        each = {piece: value(kept.total, self.sizes) for piece, kept in pieces.items()}
        fullest = max(
            moments, key=lambda at: sum(value(n, self.sizes) * each[q] for q, n in at.items())
        )
        return sum((pieces[q] * as_poly(n) for q, n in fullest.items()), NONE)

    def _piece(self, piece: int) -> Kept:
        """One microbatch in one piece of the model."""
        several, one = (self._sum(saves, each, piece) for saves, each in self._sizes)
        batch = self.costs.batch
        return Kept(
            either(several.units, one.units, batch),
            either(several.between, one.between, batch),
            either(several.whole, one.whole, batch),
        )

    @cached_property
    def _sizes(self) -> tuple[tuple[Saves, list[Sizes]], ...]:
        """Several sequences and a single one, each with the sizes of its tensors."""
        held = self.memory.held(self.setting, training=True)
        several = (held.saves, [[*self._parts(tensor)] for tensor in held.saves.tensors])
        if held.single is None:
            return several, several
        return several, (held.single, [[*self._parts(one)] for one in held.single.tensors])

    def _parts(self, tensor: Saved) -> Iterator[tuple[Placed, Poly]]:
        for place, shape in self.lying.parts(tensor):
            yield place, self._share(shape, place) * tensor.width

    def _sum(self, saves: Saves, each: Sequence[Sizes], piece: int) -> Kept:
        found: dict[Placed, list[Poly]] = {}
        for tensor, parts in zip(saves.tensors, each, strict=True):
            copies = self._copies(saves, tensor, piece)
            for place, size in parts:
                found.setdefault(place, []).append(size * copies)
        sums = {place: total(sizes) for place, sizes in found.items()}
        units = sums.get("units", as_poly(0))
        return Kept(
            (units // T if self.degrees.tp > 1 else units) + sums.get("vocabulary", as_poly(0)),
            sums.get("between", as_poly(0)),
            sums.get("whole", as_poly(0)),
        )

    def _copies(self, saves: Saves, tensor: Saved, piece: int) -> Poly:
        """How many tensors of a kind a piece keeps: those that any of its layers does, or what
        comes before them or behind."""
        layer, inside = divmod(tensor.made, 2)
        times = formula(tensor.times)
        if self.degrees.pieces == 1:
            return times * formula(saves.turns[layer]) if inside else times
        if not inside:
            return times * any(piece in self._places(saves, at) for at in tensor.kept)
        later = [(at, at // 2 - layer) for at in tensor.kept]
        return times * sum(
            any(piece in self._places(saves, at, one + step) for at, step in later)
            for one in saves.layers[layer]
        )

    def _places(self, saves: Saves, at: int, layer: int | None = None) -> set[int]:
        """The pieces that a moment is in; `layer` is the one meant of those that it stands for."""
        if not at % 2:
            return {self._piece_of(saves.layers[at // 2 - 1][-1]) if at else 0}
        meant = saves.layers[at // 2] if layer is None else [layer]
        return {self._piece_of(one) for one in meant}

    @cached_property
    def _layers(self) -> int:
        return all_layers(self.costs.program)

    def _piece_of(self, layer: int) -> int:
        return piece_of(layer, self._layers, self.degrees.pieces)

    def _share(self, shape: tuple[Poly, ...], place: Placed) -> Poly:
        """Elements on a rank, before units are shared out: the first axis along a sequence is
        cut."""
        sizes = [*shape]
        ranks = as_poly(1)
        if self.degrees.cp > 1:
            ranks = ranks * C
        if self.degrees.tp > 1 and self.degrees.sp and place == "between":
            ranks = ranks * T
        for at, size in enumerate(sizes):
            if ranks != as_poly(1) and (here := size.letters & self._positions):
                sizes[at] = size.at({name: shard(letter(name), ranks) for name in here})
                break
        if place == "vocabulary" and self.degrees.tp > 1:
            sizes[-1] = shard(sizes[-1], T)
        return product(sizes)

    @cached_property
    def _positions(self) -> set[str]:
        """The letters of lengths of sequences."""
        return {name for name, known in self.costs.key.key.items() if known.role in LENGTHS}
