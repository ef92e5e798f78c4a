"""Where the weights of a build come from: drawn by the spec's rules, or read from a checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, SpecError
from compiler.importers.checkpoint import open_checkpoint
from compiler.importers.draw import drawn
from compiler.importers.families import rules_of
from compiler.importers.fill import fill
from compiler.importers.finite import not_finite
from compiler.importers.fusion import Fusion
from compiler.importers.lazy import Lazy
from compiler.importers.rules import Rules
from compiler.ir.graph import Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ops import Borrow
from compiler.passes.fuse import fusions

DRAWN_LIMIT: Final = 4 << 30
"""Bytes of drawn weights above which only graphs are written."""


@dataclass(frozen=True)
class Weights:
    """A source for each canonical parameter, how they are joined, and why there are none."""

    sources: Mapping[str, Lazy] | None
    fusions: tuple[Fusion, ...]
    absent: str = ""
    warnings: tuple[Diagnostic, ...] = ()


def weights_for(spec: Spec, plain: Program, fused: Program, asked: str) -> Weights:
    """The weights that `--weights` asks for: `none`, `init` or a path. Raises SpecError."""
    joined = tuple(Fusion(whole, parts) for whole, parts in fusions(fused).items())
    if asked == "none":
        return Weights(None, joined)
    parameters = plain.parameters()
    shapes = {
        name: tuple(value(size, plain.key.sizes) for size in p.shape)
        for name, p in parameters.items()
    }
    if asked == "init":
        size = 4 * sum(value(p.count, plain.key.sizes) for p in parameters.values())
        if size > DRAWN_LIMIT:
            return Weights(
                None,
                joined,
                f"drawn weights would take {size >> 30} GiB; only graphs are written above 4 GiB",
            )
        return Weights(drawn(shapes, {name: p.init for name, p in parameters.items()}), joined)
    opened = open_checkpoint(Path(asked))
    if isinstance(opened, tuple):
        raise SpecError(opened)
    sizes = {
        **plain.key.sizes,
        **{name: int(n) for name, n in spec.dims.items() if isinstance(n, int)},
    }
    filled = fill(
        shapes, opened, rules=_rules(spec), fusions=joined, ties=_ties(plain), sizes=sizes
    )
    if isinstance(filled, tuple):
        raise SpecError(filled)
    warning = not_finite(filled.sources, Path(asked))
    return Weights(filled.sources, joined, warnings=(warning,) if warning else ())


def _ties(plain: Program) -> dict[str, str]:
    """Names that a file may give to a table that another node owns, with the owner's."""
    found: dict[str, str] = {}
    for node in plain.main:
        if isinstance(node.what, Borrow):
            for reader, _ in plain.main.readers(Value(node.id)):
                own = "weight" if isinstance(reader.what, Operator) else "tokens.weight"
                found[f"{reader.id}.{own}"] = node.what.path
    return found


def _rules(spec: Spec) -> Rules | None:
    rules = rules_of(spec)
    if isinstance(rules, tuple):
        raise SpecError(rules)
    return rules
