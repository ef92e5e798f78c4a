"""Token mixers side by side: what one layer of each costs over the length, and what it reaches."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from archspec.model.spec import Spec
from archspec.source.frozen import Frozen
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.size import Poly, value
from compiler.passes.mixers import LENGTHS, Mixer, mixers
from compiler.passes.reach import Depth, reach
from compiler.passes.setting import BYTES, Precision
from compiler.report.formula import formula
from compiler.report.order import hops_order, steps_order, work_order

SERIES: Final = tuple(2**power for power in range(7, 18, 2))
"""Lengths from 128 to 131 072, each four times the one before."""


class Primitives(Frozen):
    """The mixers of one spec, and how far its positions look after each of them.

    Attributes:
        name: of the spec.
        path: of the spec, as it is to be shown.
        key: of the letters in the formulas.
        mixers: in the order of execution.
        depths: for each sequence that the model takes, its mixers by depth.
    """

    name: str
    path: str
    key: Letters
    mixers: tuple[Mixer, ...]
    depths: Mapping[str, tuple[Depth, ...]]

    def figures(
        self, mixer: Mixer, length: int, batch: int, precision: Precision
    ) -> dict[str, int | None]:
        """One layer at one N, which every length of the model is; units in the names."""
        key = self.key.key.items()
        lengths = {name: length for name, known in key if known.role in LENGTHS}
        batches = {name: batch for name, known in key if known.role == "batch"}
        sizes = {**lengths, **batches, **self.key.sizes}
        formulas = self.formulas(mixer, precision)
        return {"longest_path": None, **{n: value(size, sizes) for n, size in formulas.items()}}

    def fixed(self, mixer: Mixer) -> bool:
        """Whether the model fixes how many positions there are, so that no N changes a figure."""
        known = (self.key.key[name] for name in mixer.mixing.letters)
        return not any(each.role in LENGTHS and each.size is None for each in known)

    def formulas(self, mixer: Mixer, precision: Precision) -> dict[str, Poly]:
        """One layer in letters; `longest_path` is missing where some positions never meet."""
        size = BYTES[precision]
        found = {
            "mixing_flops": mixer.mixing,
            "mapping_flops": mixer.mapping,
            "results_bytes": mixer.written * size,
            "attention_matrix_bytes": mixer.scores * size,
            "sequential_steps": mixer.steps,
        }
        return found if mixer.hops is None else {**found, "longest_path": mixer.hops}

    def document(self, lengths: Sequence[int], batch: int, precision: Precision) -> dict[str, Any]:
        """For programs: exact integers; None is without bound, or no way."""
        return {
            "name": self.name,
            "spec": self.path,
            "key": [
                {"letter": k.name, "meaning": k.meaning, "size": k.size, "said": k.said}
                for k in self.key.key.values()
            ],
            "mixers": [
                {
                    **self._mixer(mixer, precision),
                    "over_length": [
                        {"N": n, **self.figures(mixer, n, batch, precision)} for n in lengths
                    ],
                }
                for mixer in self.mixers
            ],
            "reach": [
                {"input": name, "depth": depth, **_document(found)}
                for name, depths in self.depths.items()
                for depth, found in enumerate(depths, start=1)
            ],
        }

    def _mixer(self, mixer: Mixer, precision: Precision) -> dict[str, Any]:
        return {
            "path": mixer.path,
            "length_fixed": self.fixed(mixer),
            "kind": mixer.kind,
            "layers": value(mixer.layers, self.key.sizes),
            "parameters": value(mixer.parameters, self.key.sizes),
            "formulas": {
                name: formula(size) for name, size in self.formulas(mixer, precision).items()
            },
            "orders": {
                "work": work_order(mixer, self.key),
                "sequential_steps": steps_order(mixer, self.key),
                "longest_path": hops_order(mixer, self.key),
            },
            "reach": {"back": mixer.reach.back, "ahead": mixer.reach.ahead},
        }


def primitives(program: Program, spec: Spec, path: str = "") -> Primitives:
    """The mixers of a program whose equal graphs are folded, with the reach by depth."""
    depths = {name: found for name in spec.inputs if (found := _depths(program, name))}
    return Primitives(spec.name, path, program.key, mixers(program), depths)


def _depths(program: Program, name: str) -> tuple[Depth, ...]:
    return reach(program, name) if name in program.main.inputs else ()


def _document(found: Depth) -> dict[str, Any]:
    return {"path": found.path, "back": found.reach.back, "ahead": found.reach.ahead}
