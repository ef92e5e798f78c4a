"""Where the weights of a build come from: drawn by the spec's rules, or read from a checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, SpecError
from compiler.importers.checkpoint import open_checkpoint
from compiler.importers.draw import drawn
from compiler.importers.fill import fill
from compiler.importers.finite import not_finite
from compiler.importers.fusion import Fusion
from compiler.importers.lazy import Lazy
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.pipeline.reading import Reading, fusions_of, reading_of, shapes_of

DRAWN_LIMIT: Final = 4 << 30
"""Bytes of drawn weights above which only graphs are written."""

NO_FILE: Final = ("none", "init")
"""Words for `--weights` that name no checkpoint."""


@dataclass(frozen=True)
class Weights:
    """A source for each canonical parameter, how they are joined, and why there are none."""

    sources: Mapping[str, Lazy] | None
    fusions: tuple[Fusion, ...]
    absent: str = ""
    warnings: tuple[Diagnostic, ...] = ()


def weights_for(spec: Spec, plain: Program, fused: Program, asked: str) -> Weights:
    """The weights that `--weights` asks for: `none`, `init` or a path. Raises SpecError."""
    if asked == "none":
        return Weights(None, fusions_of(fused))
    if asked == "init":
        return _drawn(plain, fusions_of(fused))
    return _read(Path(asked), reading_of(spec, plain, fused))


def _drawn(plain: Program, fusions: tuple[Fusion, ...]) -> Weights:
    parameters = plain.parameters()
    size = 4 * sum(value(p.count, plain.key.sizes) for p in parameters.values())
    if size > DRAWN_LIMIT:
        return Weights(
            None,
            fusions,
            f"drawn weights would take {size >> 30} GiB; only graphs are written above 4 GiB",
        )
    inits = {name: p.init for name, p in parameters.items()}
    return Weights(drawn(shapes_of(plain), inits), fusions)


def _read(path: Path, reading: Reading) -> Weights:
    opened = open_checkpoint(path)
    if isinstance(opened, tuple):
        raise SpecError(opened)
    filled = fill(
        reading.shapes,
        opened,
        rules=reading.rules,
        fusions=reading.fusions,
        ties=reading.ties,
        sizes=reading.sizes,
    )
    if isinstance(filled, tuple):
        raise SpecError(filled)
    warning = not_finite(filled.sources, path)
    return Weights(filled.sources, reading.fusions, warnings=(warning,) if warning else ())
