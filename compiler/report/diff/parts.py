"""A resolved spec as a tree of parts and values, each with the place that says it."""

from collections.abc import Iterator, Mapping
from dataclasses import field, fields
from typing import Final, TypeAlias

from archspec.branches import text_of
from archspec.components.component import Component
from archspec.components.embed import Embed
from archspec.components.keys import known
from archspec.components.unembed import Unembed
from archspec.model.dropout import DropoutRates
from archspec.model.init import Init
from archspec.model.spec import Node, Spec
from archspec.model.stack import Layer, Mixer, SubLayer
from archspec.source.frozen import Frozen
from archspec.source.report import Mark, Origin
from archspec.source.span import Span

OWN: Final = frozenset(
    ("norm", "norm_at", "branch_scale", "skip_scale", "layerscale", "drop_path", "dropout", "init")
)
"""Settings of a sub-layer around its mixer, whichever mixer it has."""


class Leaf(Frozen):
    """One value as a spec writes it; equal texts are equal values, wherever they are said."""

    text: str
    origin: Origin = field(compare=False)
    span: Span = field(compare=False)
    said: str = field(compare=False, default="")


class Part(Frozen):
    """A component, a sub-layer or a mixer: its word and what it consists of, by name."""

    word: str
    entries: "Mapping[str, Branch]"
    span: Span = field(compare=False)

    def __str__(self) -> str:
        """Its word with the values that somebody wrote: `mlp {hidden: 3072, act: gelu}`."""
        said = ", ".join(f"{name}: {text}" for name, text in _written(self))
        return f"{self.word} {{{said}}}" if said else self.word


Branch: TypeAlias = Leaf | Part


def leaves(branch: Branch, prefix: str = "") -> Iterator[tuple[str, Leaf]]:
    """Every value below, by its dotted name."""
    if isinstance(branch, Leaf):
        yield prefix, branch
        return
    for name, below in branch.entries.items():
        yield from leaves(below, f"{prefix}.{name}" if prefix else name)


class Parts:
    """Makes parts of the levels of one spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def leaf(self, value: object, path: str) -> Leaf:
        """A value with the mark of its path, or of what surrounds it."""
        mark, exact = self._mark(path)
        said = getattr(value, "said", "") if isinstance(value, int) else ""
        if mark is None:
            return Leaf(text_of(value), "default", self.spec.span)
        origin = mark.origin if exact or mark.origin == "defaults" else "default"
        return Leaf(text_of(value), origin, mark.span, mark.said if exact and mark.said else said)

    def component(self, part: Component, path: str) -> Part:
        """The fields of a component; sizes that come with another's table are left out."""
        skipped: tuple[str, ...] = ()
        if isinstance(part, Unembed) and part.tie is not None:
            skipped = ("vocab",)
        if isinstance(part, Embed) and part.share is not None:
            skipped = ("vocab", "dim")
        names = {**known(type(part)), **{one: one for one in sorted(part.unwritten)}}
        entries = {
            name: self.value(getattr(part, attribute), f"{path}.{name}")
            for name, attribute in names.items()
            if name not in skipped
        }
        return Part(part.word, entries, self._span(path))

    def value(self, value: object, path: str) -> Branch:
        """A field: a component of its own or a plain value."""
        if isinstance(value, Component):
            return self.component(value, path)
        return self.leaf(value, path)

    def node(self, node: Node) -> Part:
        """A node that is no stack."""
        assert isinstance(node.component, Component)
        return self.component(node.component, f"{node.name}.{node.component.word}")

    def layer(self, layer: Layer, path: str) -> dict[str, Part]:
        """The sub-layers of one layer in order."""
        return {name: self.sublayer(sub, f"{path}.{name}") for name, sub in layer.sublayers.items()}

    def sublayer(self, sub: SubLayer, path: str) -> Part:
        """One residual step: its mixers and how it is normed, scaled and dropped."""
        word, entries = "parallel", dict[str, Branch]()
        if sub.parallel:
            for name, mixer in sub.mixers.items():
                entries[name] = self._mixer(mixer, f"{path}.parallel.{name}")
        else:
            only = sub.mixers[sub.name].component
            word = only.word
            own = self.component(only, f"{path}.{word}").entries
            entries |= {f"{word}.{k}" if k in OWN else k: below for k, below in own.items()}
        entries["norm"] = self.value(sub.norm, f"{path}.norm")
        for name in ("norm_at", "branch_scale", "skip_scale", "layerscale", "drop_path"):
            entries[name] = self.leaf(getattr(sub, name), f"{path}.{name}")
        entries["dropout"] = self.dropout(sub.dropout, f"{path}.dropout")
        entries["init"] = self.init(sub.init, f"{path}.init")
        return Part(word, entries, sub.span)

    def dropout(self, rates: DropoutRates, path: str) -> Part:
        """Rates by place."""
        entries = {
            one.name: self.leaf(getattr(rates, one.name), f"{path}.{one.name}")
            for one in fields(rates)
        }
        return Part("dropout", entries, self._span(path))

    def init(self, init: Init, path: str) -> Part:
        """How parameters are drawn."""
        entries = {"kind": self.leaf(init.kind, path)}
        if init.kind == "normal":
            scaled = "depth_scaled" if init.depth_scaled else "none"
            entries["normal"] = self.leaf(init.std, f"{path}.normal")
            entries["residual"] = self.leaf(scaled, f"{path}.residual")
        return Part("init", entries, self._span(path))

    def _mixer(self, mixer: Mixer, path: str) -> Part:
        found = self.component(mixer.component, f"{path}.{mixer.component.word}")
        norm = self.value(mixer.norm, f"{path}.norm")
        return Part(found.word, {**found.entries, "norm": norm}, mixer.span)

    def _mark(self, path: str) -> tuple[Mark | None, bool]:
        """The mark of a path or of the nearest around it, and whether it is the path's own.

        What a sub-layer takes from `defaults:` is marked there, value by value.
        """
        marks, above, rest = self.spec.marks, path, ""
        while above not in marks and "." in above:
            above, _, last = above.rpartition(".")
            rest = f".{last}{rest}"
        mark = marks.get(above)
        if mark is not None and mark.origin == "defaults":
            said = f"defaults.{above.rpartition('.')[2]}{rest}"
            own = marks.get(said)
            if own is not None and own.origin == "written":
                return Mark("defaults", own.span, own.said), True
            return (mark, True) if own is None else (own, True)
        return mark, not rest

    def _span(self, path: str) -> Span:
        mark, _ = self._mark(path)
        return self.spec.span if mark is None else mark.span


def _written(part: Part) -> Iterator[tuple[str, str]]:
    for name, branch in part.entries.items():
        if isinstance(branch, Leaf) and branch.origin == "written" and branch.text != part.word:
            yield name, branch.text
        elif isinstance(branch, Part) and any(
            leaf.origin == "written" for _, leaf in leaves(branch)
        ):
            yield name, str(branch)
