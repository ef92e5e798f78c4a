"""Specs that the shadow of torch and torch itself both run, at lengths."""

from dataclasses import dataclass
from functools import cache, cached_property

import torch

from archspec import load
from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from compiler.backends.torch import Generated, torch_code
from compiler.ir.program import Program
from compiler.ir.size import Poly, value
from compiler.passes.fuse import fuse
from compiler.passes.memory import Memory
from compiler.passes.setting import Setting
from compiler.pipeline.passes import lowered
from compiler.pipeline.texts import source
from compiler.report.memory import memory_of
from compiler.shadow import Held, How, Source, held, step_held
from tests.shadow.steps import step_peak
from tests.shadow.storages import Measured, inputs, measured, peak
from tests.shipped import ROOT

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
LAYERS = "dims.n_layers=8"
"""Enough for loops that fold, in turns too."""


@dataclass(frozen=True)
class Sample:
    """A spec at lengths: `batch` sequences of `length` positions, sources of `source`."""

    spec: Spec
    batch: int
    length: int
    source: int

    @cached_property
    def plain(self) -> Program:
        return lowered(self.spec)

    @cached_property
    def fused(self) -> Program:
        return fuse(self.plain)

    @cached_property
    def module(self) -> Generated:
        """What users get."""
        return source(self.spec, self.plain, self.fused)

    @cached_property
    def memory(self) -> Memory:
        return memory_of(self.plain)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Every letter as a number."""
        roles = {"batch": self.batch, "target": self.length, "seen": self.length}
        found = {
            name: known.size or roles.get(known.role, self.source)
            for name, known in self.fused.key.key.items()
            if known.formula is None
        }
        return found | {n: value(size, found) for n, size in self.fused.key.formulas.items()}

    def counted(self, setting: Setting) -> Measured:
        """What the formulas come to."""
        found = self.memory.held(setting)
        return Measured(*map(self.at, (found.saved, found.peak, found.training_peak)))

    def trained(self, setting: Setting) -> Measured:
        """The same in training mode on a CPU, where dropout keeps its masks as floats."""
        code = torch_code(self.fused)
        text = Source(code.text, code.name, code.inputs)
        how = How(precision=setting.precision, training=True, thin_masks=False)
        found: Held = held(text, self.fused.key, how)
        return Measured(*map(self.at, (found.saved, found.peak, found.training_peak)))

    def measured(self, setting: Setting, training: bool = False) -> Measured:
        """What torch says."""
        kind = TYPES[setting.precision]
        given = inputs(torch_code(self.fused).inputs, self.sizes, kind)
        eager = setting.kernel == "eager"
        return measured(self.module, given, kind, eager=eager, training=training)

    def stepped(self, setting: Setting) -> int:
        """The fullest moment of a step behind `length` - 1 cached positions, as torch has it."""
        kind = TYPES[setting.precision]
        eager = setting.kernel == "eager"
        sizes = {**self.sizes}
        for name, known in self.fused.key.key.items():
            sizes[name] = {"target": 1, "cache": self.length}.get(known.role, sizes[name])
        given = inputs(torch_code(self.fused).inputs, sizes, kind, held=self.length - 1)
        return peak(self.module, given, kind, eager=eager)

    def counted_step(
        self, setting: Setting, *, in_place: bool = False, accumulates: bool = False
    ) -> int:
        """What the formula of a training step comes to; `in_place` as users train, else as the
        oracle does."""
        assert setting.precision != "fp16"
        how = How(
            setting.precision,
            eager=setting.kernel == "eager",
            recompute=setting.forgets,
            in_place=in_place,
            accumulates=accumulates,
        )
        found, even = step_held(self.memory.source, self.fused.key, how)
        if not even and self.batch == 1:
            found, _ = step_held(self.memory.source, self.fused.key, how, batch=1)
        return self.at(found)

    def measured_step(self, setting: Setting) -> int:
        """What torch says of it."""
        kind = TYPES[setting.precision]
        return step_peak(
            self.module,
            inputs(torch_code(self.fused).inputs, self.sizes, kind),
            kind,
            classes=self.memory.source.classes,
            eager=setting.kernel == "eager",
            forgets=setting.forgets == "full",
        )

    def at(self, size: Poly) -> int:
        """A formula as a number."""
        return value(size, self.sizes)


def whole(path: str, batch: int, length: int, source: int = 0) -> Sample:
    """A shipped spec as it is."""
    return Sample(load(ROOT / "specs" / path), batch, length, source or length)


@cache
def short(path: str) -> Sample:
    """A shipped spec with fewer layers where it counts them, at small lengths."""
    try:
        spec = load(ROOT / path, set=[LAYERS])
    except SpecError:
        spec = load(ROOT / path)
    return Sample(spec, 2, 16, 24)
