"""A model on many devices: what a rank of each stage keeps and sends, at degrees to choose."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Final, get_args

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, constant, total, value
from compiler.passes.metrics.metric import Unit
from compiler.report.numbers import in_unit
from compiler.report.page.figures import Chosen, Counted, juxtaposed
from compiler.report.page.sheet import Number, Sheet
from compiler.report.parallel.anywhere import HOPS, Anywhere
from compiler.report.parallel.degrees import LARGEST, LETTERS, WAYS, Degrees
from compiler.report.parallel.fits import misfits, shares_sequences
from compiler.report.parallel.states import Owned, cache, owned, states
from compiler.report.parallel.traffic import Group, Traffic

PARTS: Final = {
    "parameters": "parameters",
    "weights_bytes": "weights",
    "gradients_bytes": "gradients",
    "master_weights_bytes": "master copies",
    "optimizer_bytes": "optimizer",
    "kv_bytes": "keys, values",
    "tp": "sent to tensor ranks",
    "pp": "sent to other stages",
    "dp": "sent to replicas",
    "ep": "sent to other experts",
    "cp": "sent along the sequence",
}
"""What formulas are of."""
STATES: Final = ("weights_bytes", "gradients_bytes", "master_weights_bytes", "optimizer_bytes")
GROUPS: Final[tuple[Group, ...]] = get_args(Group)
COLUMNS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    **{name: (PARTS[name], (name,)) for name in ("parameters", *STATES)},
    "training_states_bytes": ("together", STATES),
    "kv_bytes": (PARTS["kv_bytes"], ("kv_bytes",)),
    "communication_bytes": ("sent in a step", GROUPS),
}
"""The columns by the names that they have elsewhere: a title, and the parts that are added up."""
DIVIDING: Final = ("tp", "ep")
MOST: Final = 256


class Degree(Frozen):
    """A degree to choose: its letter, what it counts, and either the numbers that fit or a largest
    one."""

    name: str
    letter: str
    meaning: str
    size: int
    fitting: tuple[int, ...]
    most: int


class Spread(Frozen):
    """The section about many devices: formulas for any stage, and the stages that there are."""

    sheet: Sheet
    model: Anywhere

    @property
    def asked(self) -> Degrees:
        """The degrees that are shown at first."""
        return self.sheet.degrees

    @property
    def several(self) -> bool:
        """Whether there is more than one device."""
        return self.asked.ranks > 1

    @property
    def columns(self) -> list[str]:
        """The heads of the table."""
        return [title for title, _ in COLUMNS.values()]

    @cached_property
    def degrees(self) -> list[Degree]:
        """Those that can be chosen for this model."""
        return [found for name in LETTERS if (found := self._degree(name)).most > 1]

    @cached_property
    def formulas(self) -> list[tuple[str, Number]]:
        """Every part that is not always nothing, with its formula."""
        found = self._parts.items()
        return [(PARTS[name], number) for name, number in found if number.formula != "0"]

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """Stages that have as many layers of each kind together, and their figures."""
        return [
            (_range(stages), [self._shown(name, sizes) for name in COLUMNS])
            for stages, sizes in self._stages
        ]

    @property
    def key(self) -> str:
        """What the letters of the formulas are."""
        said = [f"{each.letter} = {each.name}" for each in self.degrees]
        if self.model.kinds:
            said.append("f and l are 1 on the first and the last stage, else 0")
            layers = {name: self._layers(name) for name in self.model.kinds}
            said += [f"{name} of its layers are like {where}" for name, where in layers.items()]
        return "; ".join(said)

    def document(self) -> dict[str, Any]:
        """For the script: letters and their sizes, and which layers are of which kind."""
        kinds = self.model.kinds
        return {
            "letters": LETTERS,
            "sizes": {letter: str(getattr(self.asked, n)) for n, letter in LETTERS.items()},
            "columns": [
                [self._parts[name].figure for name in names] for _, names in COLUMNS.values()
            ],
            "layers": self.model.layers,
            "experts": any(each.name == "ep" for each in self.degrees),
            "kinds": {
                name: [[each.start, each.stop, each.step] for each in spans]
                for name, spans in kinds.items()
            },
        }

    @cached_property
    def _stages(self) -> list[tuple[list[int], dict[str, int]]]:
        """Neighbours with the same letters together."""
        found: list[tuple[list[int], dict[str, int]]] = []
        for stage, sizes in enumerate(self.model.sizes(self.asked)):
            if found and found[-1][1] == sizes:
                found[-1][0].append(stage)
            else:
                found.append(([stage], sizes))
        return found

    def _layers(self, kind: str) -> str:
        """The first layer of a kind."""
        return f"layer {min(span.start for span in self.model.kinds[kind])}"

    def _shown(self, name: str, sizes: dict[str, int]) -> str:
        """A column on a stage whose letters have sizes."""
        _, names = COLUMNS[name]
        whole = total(self.counted(part)(self.sheet.chosen) for part in names)
        return in_unit(value(whole, {**self.sheet.report.sizes, **sizes}), _unit(name))

    @cached_property
    def _parts(self) -> dict[str, Number]:
        """Every part with its number on the first stage."""
        return {name: self._part(name) for name in PARTS}

    def _part(self, name: str) -> Number:
        figures, counted = self.sheet.figures, self.counted(name)
        size = counted(self.sheet.chosen)
        found = value(size, {**self.sheet.report.sizes, **self._stages[0][1]})
        place, by = figures.figure(counted), figures.multiple(size)
        return Number(place, _unit(name), found, juxtaposed(size), by=by)

    def counted(self, name: str) -> Counted:
        """A part as a function of what is chosen, in letters for any stage."""
        if name == "parameters":
            return lambda _: self._owned.all
        if name == "kv_bytes":
            return lambda chosen: self._cache * chosen.bytes
        if name in STATES:
            return partial(self._states, name)
        (group,) = (each for each in GROUPS if each == name)
        return partial(self._sent, group)

    def _states(self, name: str, chosen: Chosen) -> Poly:
        return states(self._owned, as_poly(0), chosen, int(chosen.zero)).figures[name]

    def _sent(self, group: Group, chosen: Chosen) -> Poly:
        """What is chosen is read where it changes something alone."""
        model, degrees = self.model, self._larger
        if group == "dp":
            degrees = replace(degrees, zero=int(chosen.zero))
        elif group in ("tp", "pp"):
            degrees = replace(degrees, sp=int(chosen.sp) if self._shares_sequences else 0)
        hops = HOPS if model.cuttable else 0
        program = model.costs.program
        traffic = Traffic(program, model.parts, model.graphs, degrees, chosen, 0, hops)
        return total(one.bytes for one in traffic.among(group, self._owned, model.weights))

    @cached_property
    def _shares_sequences(self) -> bool:
        return shares_sequences(self.model.parts, self.model.graphs, self.model.costs)

    @cached_property
    def _owned(self) -> Owned:
        return owned(self.model.weights, 0)

    @cached_property
    def _cache(self) -> Poly:
        return cache(self.model.parts, self.model.graphs, 0)

    @cached_property
    def _larger(self) -> Degrees:
        """Every degree that can be more than one: what it adds is nothing where it is one."""
        inside = {each.name for each in self.degrees} & {"tp", "cp", "ep"}
        return Degrees(dp=2, **dict.fromkeys(inside, 2))

    def _degree(self, name: str) -> Degree:
        size, letter = getattr(self.asked, name), LETTERS[name]
        if name in DIVIDING:
            fitting = tuple(self._fitting(name))
            return Degree(name, letter, WAYS[name], size, fitting, max(fitting))
        most = LARGEST
        if name == "cp":
            most = LARGEST if self._fits("cp", 2) else 1
        elif name in ("pp", "interleave"):
            most = self.model.layers if self.model.cuttable else 1
        return Degree(name, letter, WAYS[name], size, (), most)

    def _fitting(self, name: str) -> Iterator[int]:
        for size in range(1, MOST + 1):
            likely = name == "ep" or all(known % size == 0 for known in self._divided)
            if size == getattr(self.asked, name) or (likely and self._fits(name, size)):
                yield size

    @cached_property
    def _divided(self) -> set[int]:
        """The heads and hidden units that tensor ranks share, where numbers say how many."""
        key = self.sheet.report.costs.key
        regions = [region for each in self.model.graphs.values() for region in each.regions]
        found = {constant(key.fix(axis.size)) for region in regions for axis in region.axes}
        return {size for size in found if size}

    def _fits(self, name: str, size: int) -> bool:
        alone = Degrees(**{name: size, **({"dp": size} if name == "ep" else {})})
        return not misfits(self.sheet.report.costs, {}, alone)


def _unit(name: str) -> Unit:
    return "parameters" if name == "parameters" else "bytes"


def _range(stages: list[int]) -> str:
    """Stages by their numbers: `0`, `1 to 6`."""
    return str(stages[0]) if len(stages) == 1 else f"{stages[0]} to {stages[-1]}"
