"""A resolved spec as YAML again: every default explicit, every value with where it comes from."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import PurePath

from archspec.branches import Branch, Leaf, lines, text_of
from archspec.components.component import Component
from archspec.components.embed import Embed
from archspec.components.keys import known
from archspec.components.unembed import Unembed
from archspec.model.dropout import DropoutRates
from archspec.model.init import Init
from archspec.model.input import PACKED, Input
from archspec.model.spec import Node, Spec
from archspec.model.stack import Layer, Mixer, Stack, SubLayer
from archspec.rounds import LONGEST, told
from archspec.source.scalars import is_plain, quoted
from archspec.source.span import Span


def explain_resolved(spec: Spec) -> str:
    """YAML that loads to the same model, with an end-of-line comment about each value's origin."""
    return "\n".join(lines(Explainer(spec).top(), 0)) + "\n"


class Explainer:
    """Turns the levels of a spec into branches and leaves."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def leaf(self, value: object, path: str) -> Leaf:
        text = text_of(value)
        return Leaf(text, self.origin(path, text))

    def origin(self, path: str, text: str = "") -> str:
        """Where the value at `path` comes from; what it was written as if that is not `text`."""
        mark = self.spec.marks.get(path)
        above = path
        while mark is None and "." in above:
            above = above.rpartition(".")[0]
            mark = self.spec.marks.get(above)
        if mark is None or mark.origin == "default" or (above != path and mark.origin == "written"):
            return "default"
        place = self.place(mark.span)
        if mark.origin == "defaults":
            return f"defaults, {place}"
        expression = any(letter.isalpha() for letter in mark.said) and mark.said != text
        shown = expression and len(mark.said) <= 40 and is_plain(mark.said, flow=False)
        return f"{place}: {mark.said}" if shown else place

    def place(self, span: Span) -> str:
        if span.file == "--set":
            return f"--set {span.line}"
        own = span.file == self.spec.path
        return f"line {span.line}" if own else f"{PurePath(span.file).name}:{span.line}"

    def top(self) -> dict[str, Branch]:
        spec = self.spec
        dims = {name: self.leaf(value, f"dims.{name}") for name, value in spec.dims.items()}
        found: dict[str, Branch] = {"archspec": Leaf("1"), "name": Leaf(quoted(spec.name))}
        if spec.about:
            found["about"] = Leaf(quoted(spec.about))
        found["dims"] = dims
        found["inputs"] = {name: self.input(one) for name, one in spec.inputs.items()}
        found["defaults"] = self.defaults()
        found["graph"] = {name: self.node(node) for name, node in spec.graph.items()}
        found["outputs"] = self.leaf(spec.outputs, "outputs")
        if spec.budget:
            found["budget"] = {
                key: self.leaf(limit.limit, f"budget.{key}") for key, limit in spec.budget.items()
            }
        if spec.weights is not None:
            found["weights"] = self.weights()
        return found

    def input(self, one: Input) -> Branch:
        path = f"inputs.{one.name}"
        if one.kind == "count":
            return self.leaf(one.kind, path)
        options: dict[str, Branch] = {}
        if one.kind != "tokens":
            options["shape"] = self.leaf(one.shape, path)
        if one.max is not None:
            options["max"] = self.leaf(one.max, f"{path}.max")
        if one.kind not in ("image", "mask"):
            options["padded"] = self.leaf(one.padded, f"{path}.padded")
        if one.kind in PACKED:
            options["segments"] = self.leaf(one.segments, f"{path}.segments")
        return {one.kind: options}

    def defaults(self) -> Branch:
        said = self.spec.defaults
        found: dict[str, Branch] = {"norm": Leaf("none", self.origin("defaults.norm"))}
        if said.norm is not None:
            found["norm"] = self.component(said.norm, "defaults.norm")
        if said.norm_at is not None:
            found["norm_at"] = self.leaf(said.norm_at, "defaults.norm_at")
        found["bias"] = self.leaf(said.bias, "defaults.bias")
        found["dropout"] = self.dropout(said.dropout, "defaults.dropout")
        found["init"] = self.init(said.init, "defaults.init")
        return found

    def dropout(self, rates: DropoutRates, path: str) -> Branch:
        return {
            field.name: self.leaf(getattr(rates, field.name), f"{path}.{field.name}")
            for field in fields(rates)
        }

    def init(self, init: Init, path: str) -> Branch:
        if init.kind != "normal":
            return self.leaf(init.kind, path)
        scaled = "depth_scaled" if init.depth_scaled else "none"
        residual = self.leaf(scaled, f"{path}.residual")
        return {"normal": self.leaf(init.std, f"{path}.normal"), "residual": residual}

    def node(self, node: Node) -> Branch:
        if isinstance(node.component, Stack):
            found: dict[str, Branch] = {"stack": self.stack(node.component, node.name)}
        else:
            word = node.component.word
            found = {word: self.component(node.component, f"{node.name}.{word}")}
        edges = node.inputs if len(node.inputs) > 1 else node.inputs[0]
        found["in"] = Leaf(text_of(edges), self.edge_origin(node.name))
        return found

    def edge_origin(self, name: str) -> str:
        written = f"{name}.in" in self.spec.marks
        return self.origin(f"{name}.in") if written else "default: the node above"

    def component(self, part: Component, path: str) -> Branch:
        """The fields in their written form; sizes that come with another's table are left out."""
        skipped: tuple[str, ...] = ()
        if isinstance(part, Unembed) and part.tie is not None:
            skipped = ("vocab",)
        if isinstance(part, Embed) and part.share is not None:
            skipped = ("vocab", "dim")
        values: dict[str, Branch] = {}
        for name, field in (*known(type(part)).items(), *((one, one) for one in part.unwritten)):
            value = getattr(part, field)
            if name in skipped:
                continue
            if isinstance(value, Component):
                values[name] = self.component(value, f"{path}.{name}")
            else:
                values[name] = self.leaf(value, f"{path}.{name}")
        return written_form(type(part), values)

    def stack(self, stack: Stack, name: str) -> Branch:
        found: dict[str, Branch] = {
            "repeat": self.leaf(stack.repeat, f"{name}.stack.repeat"),
            "share": self.leaf(stack.share, f"{name}.stack.share"),
            "layer": self.layer(stack.variants[0], f"{name}.layer"),
        }
        names = {tuple(kind.sublayers) for kind in stack.variants}
        way = told(stack.order, LONGEST if len(names) == 1 else 1)
        if way.cycle != (0,):
            found["cycle"] = tuple(self.variant(stack, name, kind) for kind in way.cycle)
        places: dict[str, Branch] = {}
        for start, stop, kind in way.at:
            key = str(start) if stop == start + 1 else f"{start}..{stop}"
            places[key] = self.variant(stack, name, kind, way.cycle[start % len(way.cycle)])
        return {**found, "at": places} if places else found

    def variant(self, stack: Stack, name: str, kind: int, over: int = 0) -> dict[str, Branch]:
        """What is put in the place of another layer's parts; nothing for that layer itself."""
        if kind == over:
            return {}
        path = f"{name}.layer[{kind}]" if kind else f"{name}.layer"
        whole = self.layer(stack.variants[kind], path)
        dropped = stack.variants[over].sublayers.keys() - whole.keys()
        return {**whole, **{one: Leaf("none") for one in sorted(dropped)}}

    def layer(self, layer: Layer, path: str) -> dict[str, Branch]:
        return {name: self.sublayer(sub, f"{path}.{name}") for name, sub in layer.sublayers.items()}

    def sublayer(self, sub: SubLayer, path: str) -> Branch:
        found: dict[str, Branch] = {}
        if sub.parallel:
            way = f"{path}.parallel"
            found["parallel"] = {
                name: self.mixer(mixer, f"{way}.{name}") for name, mixer in sub.mixers.items()
            }
        else:
            found.update(self.mixer(sub.mixers[sub.name], path, own_norm=False))
        found["norm"] = Leaf("none", self.origin(f"{path}.norm_at"))
        if sub.norm is not None:
            found["norm"] = self.component(sub.norm, f"{path}.norm")
        found["norm_at"] = self.leaf(sub.norm_at, f"{path}.norm_at")
        for name in ("branch_scale", "skip_scale", "layerscale", "drop_path"):
            found[name] = self.leaf(getattr(sub, name), f"{path}.{name}")
        found["dropout"] = self.dropout(sub.dropout, f"{path}.dropout")
        found["init"] = self.init(sub.init, f"{path}.init")
        return found

    def mixer(self, mixer: Mixer, path: str, own_norm: bool = True) -> dict[str, Branch]:
        word = mixer.component.word
        found: dict[str, Branch] = {word: self.component(mixer.component, f"{path}.{word}")}
        if own_norm and mixer.norm is not None:
            found["norm"] = self.component(mixer.norm, f"{path}.norm")
        return found

    def weights(self) -> Branch:
        assert self.spec.weights is not None
        if self.spec.weights.family:
            return self.leaf(self.spec.weights.family, "weights")
        found: dict[str, Branch] = {}
        for name, rule in self.spec.weights.rules.items():
            parts = rule.items() if isinstance(rule, Mapping) else ()
            whole = {key: Leaf(text_of(listed(value))) for key, value in parts}
            found[name] = whole if isinstance(rule, Mapping) else Leaf(text_of(rule))
        return found


def written_form(kind: type[Component], values: Mapping[str, Branch]) -> Branch:
    """`fold` on leaves: what decides the form is compared as text."""
    found = kind.fold(Folded(values))
    if isinstance(found, str):
        return Leaf(found)
    assert isinstance(found, Leaf | Mapping)
    return found


class Folded(dict[str, Branch]):
    """Fields whose words `kind` and `mask` read as text, so that `fold` can decide by them."""

    def __getitem__(self, name: str) -> Branch:
        value = super().__getitem__(name)
        deciding = name in ("kind", "mask") and isinstance(value, Leaf)
        return value.text if deciding else value  # type: ignore[return-value,union-attr]  # as text


def listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


__all__ = ["explain_resolved"]
