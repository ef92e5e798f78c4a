"""Parameters that a generated module holds as one: which, and how they lie in it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from compiler.importers.lazy import Lazy, join
from compiler.importers.operators import Shape, Split
from compiler.importers.rules import Rule, Rules
from compiler.importers.template import KINDS, Template


@dataclass(frozen=True)
class Fusion:
    """`fused` is the concatenation of `parts`: weights along `axis`, biases along their only axis.

    Names come without `.weight` and `.bias`: `Fusion("h.0.attn.qkv", ("h.0.attn.q", …))`.
    """

    fused: str
    parts: tuple[str, ...]
    axis: int = 0

    def pairs(self) -> Iterable[tuple[str, tuple[str, ...], int]]:
        """The fused name, its parts' names and the axis, for the weight and then the bias."""
        for kind in KINDS:
            names = tuple(f"{part}.{kind}" for part in self.parts)
            yield f"{self.fused}.{kind}", names, self.axis if kind == "weight" else 0


def canonical_rules(shapes: Mapping[str, Shape], fusions: Iterable[Fusion]) -> Rules:
    """The rules of a file in our own names, each parameter either by itself or in its fusion."""
    rules = [Rule(Template(name), (Template(name),)) for name in shapes]
    for fusion in fusions:
        for fused, parts, axis in fusion.pairs():
            if all(part in shapes for part in parts):
                rules.append(Rule(Template(fused), tuple(map(Template, parts)), (Split(axis),)))
    return Rules(tuple(rules))


def fuse(parameters: Mapping[str, Lazy], fusions: Iterable[Fusion]) -> dict[str, Lazy]:
    """`parameters` as a generated module holds them: a fusion where its first part was."""
    fused: dict[str, tuple[str, Lazy]] = {}
    for fusion in fusions:
        for name, parts, axis in fusion.pairs():
            if all(part in parameters for part in parts):
                whole = join([parameters[part] for part in parts], axis)
                fused.update(dict.fromkeys(parts, (name, whole)))
    return dict(fused.get(name, (name, tensor)) for name, tensor in parameters.items())
