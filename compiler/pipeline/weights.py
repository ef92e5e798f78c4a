"""Where the weights of a build come from: drawn by the spec's rules, or read from a checkpoint."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from archspec.source.frozen import Frozen
from compiler.importers.checkpoint import open_checkpoint
from compiler.importers.draw import drawn
from compiler.importers.fill import fill
from compiler.importers.finite import not_finite
from compiler.importers.fusion import Fusion
from compiler.importers.lazy import Lazy
from compiler.importers.weights_file import Checkpoint
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.pipeline.reading import Reading, fusions_of, reading_of, shapes_of

DRAWN_LIMIT: Final = 4 << 30
"""Bytes of drawn weights above which only graphs are written."""

LOOKED_THROUGH: Final = 256 << 20
"""Bytes of a checkpoint below which a look through all numbers takes no time to speak of."""

NO_FILE: Final = ("none", "init")
"""Words for `--weights` that name no checkpoint."""


class Weights(Frozen):
    """A source for each canonical parameter, how they are joined, and why there are none."""

    sources: Mapping[str, Lazy] | None
    fusions: tuple[Fusion, ...]
    absent: str = ""
    checkpoint: Checkpoint | None = None
    """What they are read from."""
    folder: Path | None = None
    """Where they were published, with what else was."""
    looked: bool = True
    """Whether their numbers have been read once, none of them NaN."""


def weights_for(
    spec: Spec,
    plain: Program,
    fused: Program,
    asked: str,
    *,
    look: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Weights:
    """The weights that `--weights` asks for: `none`, `init` or a path. Raises SpecError.

    With `look` all numbers of a checkpoint are read once, and NaN and infinity refused; a smaller
    one is looked through anyway. `progress` is told the bytes that were, and all that will be.
    """
    if asked == "none":
        return Weights(None, fusions_of(fused))
    if asked == "init":
        return _drawn(plain, fusions_of(fused))
    return _read(Path(asked), reading_of(spec, plain, fused), look, progress)


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


def _read(
    path: Path, reading: Reading, look: bool, progress: Callable[[int, int], None] | None
) -> Weights:
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
    size = sum(source.nbytes for source in filled.sources.values())
    looked = look or size <= LOOKED_THROUGH
    if looked:
        odd = not_finite(filled.sources, path, progress)
        if odd is not None:
            raise SpecError((odd,))
    folder = path if path.is_dir() else path.parent
    return Weights(filled.sources, reading.fusions, "", opened, folder, looked)
