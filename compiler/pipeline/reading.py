"""What must be known of a spec to find its parameters in files of weights."""

from collections.abc import Mapping

from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from archspec.source.frozen import Frozen
from compiler.importers.families import rules_of
from compiler.importers.fusion import Fusion
from compiler.importers.operators import Shape, Sizes
from compiler.importers.rules import Rules
from compiler.ir.graph import Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ops import Borrow
from compiler.passes.fuse import fusions


class Reading(Frozen):
    """Shapes of the parameters and every name that a file may give them.

    `rules` are those of the spec's `weights:`; `fusions` are how `model.py` joins parameters;
    `ties` gives a table's name at each node that borrows it, with its owner's; `sizes` are the
    integers that a rule may name.
    """

    shapes: Mapping[str, Shape]
    rules: Rules | None
    fusions: tuple[Fusion, ...]
    ties: Mapping[str, str]
    sizes: Sizes


def reading_of(spec: Spec, plain: Program, fused: Program) -> Reading:
    """How the files of a spec are read. Raises SpecError where its rules are malformed."""
    return Reading(
        shapes_of(plain),
        _rules(spec),
        fusions_of(fused),
        _ties(plain),
        _sizes(spec, plain),
    )


def shapes_of(plain: Program) -> dict[str, Shape]:
    """The shape of each canonical parameter."""
    sizes = plain.key.sizes
    return {n: tuple(value(s, sizes) for s in p.shape) for n, p in plain.parameters().items()}


def fusions_of(fused: Program) -> tuple[Fusion, ...]:
    """How `model.py` joins parameters."""
    return tuple(Fusion(whole, parts) for whole, parts in fusions(fused).items())


def _sizes(spec: Spec, plain: Program) -> Sizes:
    """The spec's own sizes and the letters; G is H where each query head has keys of its own."""
    letters = {"G": plain.key.sizes.get("H", 1), **plain.key.sizes}
    return {**letters, **{name: int(n) for name, n in spec.dims.items() if isinstance(n, int)}}


def _rules(spec: Spec) -> Rules | None:
    rules = rules_of(spec)
    if isinstance(rules, tuple):
        raise SpecError(rules)
    return rules


def _ties(plain: Program) -> dict[str, str]:
    """Names that a file may give to a table that another node owns, with the owner's."""
    found: dict[str, str] = {}
    for node in plain.main:
        if isinstance(node.what, Borrow):
            for reader, _ in plain.main.readers(Value(node.id)):
                own = "weight" if isinstance(reader.what, Operator) else "tokens.weight"
                found[f"{reader.id}.{own}"] = node.what.path
    return found
