"""Parameters that a generated module holds as one: which, and how they lie in it."""

import itertools
from collections.abc import Container, Iterable, Iterator, Mapping

from archspec.source.frozen import Frozen
from compiler.importers.lazy import Lazy, join, stack
from compiler.importers.operators import Operator, Shape, Split, Unstack
from compiler.importers.rules import Rule, Rules
from compiler.importers.template import KINDS, Template


class Fusion(Frozen):
    """`fused` is the concatenation of `parts`: weights along `axis`, biases along their only axis.

    Names come without `.weight` and `.bias`: `Fusion("h.0.attn.qkv", ("h.0.attn.q", …))`. Parts
    with a `{j}` are there for each index from 0 on, and what they make is stacked along a new first
    axis: `Fusion("h.0.mlp.experts.down", ("h.0.mlp.experts.{j}.down",))`.
    """

    fused: str
    parts: tuple[str, ...]
    axis: int = 0

    def pairs(self) -> Iterable[tuple[str, tuple[str, ...], int]]:
        """The fused name, its parts' names and the axis, for the weight and then the bias."""
        for kind in KINDS:
            names = tuple(f"{part}.{kind}" for part in self.parts)
            yield f"{self.fused}.{kind}", names, self.axis if kind == "weight" else 0

    @property
    def stacks(self) -> bool:
        """Whether the parts are there for each index."""
        return "{j}" in self.parts[0]


def canonical_rules(shapes: Mapping[str, Shape], fusions: Iterable[Fusion]) -> Rules:
    """The rules of a file in our own names, each parameter either by itself or in its fusion."""
    rules = [Rule(Template(name), (Template(name),)) for name in shapes]
    for fusion in fusions:
        for fused, parts, axis in fusion.pairs():
            if all(part in shapes for part in _of_member(parts, 0)):
                operators = _apart(fusion, axis)
                rules.append(Rule(Template(fused), tuple(map(Template, parts)), operators))
    return Rules(tuple(rules))


def fuse(parameters: Mapping[str, Lazy], fusions: Iterable[Fusion]) -> dict[str, Lazy]:
    """`parameters` as a generated module holds them: a fusion where its first part was."""
    fused: dict[str, tuple[str, Lazy]] = {}
    for fusion in fusions:
        for name, parts, axis in fusion.pairs():
            members = list(_members(parts, parameters) if fusion.stacks else [parts])
            if members and all(part in parameters for part in members[0]):
                wholes = [join([parameters[part] for part in each], axis) for each in members]
                whole = stack(wholes) if fusion.stacks else wholes[0]
                fused.update(dict.fromkeys(itertools.chain(*members), (name, whole)))
    return dict(fused.get(name, (name, tensor)) for name, tensor in parameters.items())


def _apart(fusion: Fusion, axis: int) -> tuple[Operator, ...]:
    """How a fusion is undone."""
    split = (Split(axis),) if len(fusion.parts) > 1 else ()
    return (Unstack(), *split) if fusion.stacks else split


def _of_member(parts: tuple[str, ...], index: int) -> tuple[str, ...]:
    return tuple(Template(part).fill({"j": str(index)}) for part in parts)


def _members(parts: tuple[str, ...], parameters: Container[str]) -> Iterator[tuple[str, ...]]:
    """The parts of each index, as long as all are there."""
    for index in itertools.count():
        member = _of_member(parts, index)
        if not all(part in parameters for part in member):
            return
        yield member
