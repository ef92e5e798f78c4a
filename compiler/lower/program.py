"""A resolved spec as a program: every node of its graph lowered, in order."""

from dataclasses import dataclass, field
from typing import Final

from archspec.components.attention import Attention
from archspec.components.concat import Concat as Join
from archspec.components.conv import Conv
from archspec.components.dropout import Dropout as Drop
from archspec.components.embed import Embed
from archspec.components.linear import Linear
from archspec.components.mean_of import MeanOf
from archspec.components.mlp import Mlp
from archspec.components.norm import Norm
from archspec.components.patches import Patches
from archspec.components.pool import Pool
from archspec.components.positions import Positions
from archspec.components.unembed import Unembed
from archspec.model.spec import Node as Named
from archspec.model.spec import Spec
from archspec.model.stack import Stack
from archspec.source.diagnostic import Diagnostic
from compiler.ir.graph import Graph, Node, Value
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.types import TensorType
from compiler.lower.ambient import Ambience
from compiler.lower.attention import Around, attention
from compiler.lower.conv import conv
from compiler.lower.draws import Draws
from compiler.lower.embed import Table, embed
from compiler.lower.inputs import grown_input, input_type, origins
from compiler.lower.linear import linear
from compiler.lower.mlp import mlp
from compiler.lower.norm import norm
from compiler.lower.patches import patches
from compiler.lower.pool import pool
from compiler.lower.positions import positions
from compiler.lower.scope import ROOT, Rejected, Scope, Stream, single
from compiler.lower.stack import repeat_of, runs, stack_variants
from compiler.lower.unembed import unembed
from compiler.ops import Add, Concat, Dropout, Scale

INPUT_WITHOUT_POSITIONS: Final = ("image",)


def lower(spec: Spec) -> Program | tuple[Diagnostic, ...]:
    """The program of a spec, or what makes it impossible."""
    dims = {name: getattr(size, "said", "") for name, size in spec.dims.items()}
    root = Scope(spec, Letters(dims=dims), Graph(ROOT, spec.name, spec.span_of("graph")))
    root.reserved = frozenset((*spec.inputs, *spec.graph))
    model = Model(root, spec)
    try:
        model.fill()
    except Rejected as rejection:
        return (rejection.diagnostic,)
    graphs: dict[str, Graph] = {}
    _collect(root, graphs)
    graphs[ROOT] = root.graph
    return Program(
        spec.name, graphs, ROOT, root.letters, spec.about, spec.path, spec.digest, model.grown
    )


def _collect(scope: Scope, graphs: dict[str, Graph]) -> None:
    for child in scope.children.values():
        _collect(child, graphs)
        graphs[child.graph.name] = child.graph


@dataclass
class Model:
    """The root graph while it is filled."""

    root: Scope
    spec: Spec
    streams: dict[str, Stream] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)

    def fill(self) -> None:
        """Lower every input and node, then name the outputs."""
        self.grown = grown_input(self.spec)
        self.origin = origins(self.spec)
        self.draws = _draws(self.spec)
        self.ambience = Ambience(self.root, self.streams, self.grown)
        for name in self._input_order():
            self._enter(name)
        for name, node in self.spec.graph.items():
            self.root.span, self.root.where = node.span, name
            found = self.streams[node.inputs[0]] if node.inputs else Stream(Value(""))
            self.streams[name] = self._lower(name, node, found)
        for name in self.spec.outputs:
            self.root.graph.outputs[name] = self.streams[name].value

    def _input_order(self) -> list[str]:
        """Letters are given out in this order: what a decoder grows is T, and S is left for its source."""
        return (
            sorted(self.spec.inputs, key=lambda name: name != self.grown)
            if self.grown
            else list(self.spec.inputs)
        )

    def _enter(self, name: str) -> None:
        found = self.spec.inputs[name]
        letters = self.root.letters
        if found.kind in ("mask", "frames") or found.segments:
            word = "segments" if found.segments else found.kind
            self.root.span = found.span
            self.root.reject(
                "AR0390", f"`{word}` is part of the language but not of this version", "not yet"
            )
        lengths = [
            n for n in self.spec.inputs if self.spec.inputs[n].kind not in INPUT_WITHOUT_POSITIONS
        ]
        last = name == self.grown or (not self.grown and lengths and name == lengths[-1])
        letters.free("batch")
        if found.kind in INPUT_WITHOUT_POSITIONS:
            value = self.root.graph.enter(
                name, input_type(found, letters, letters.free("batch")), found.span
            )
            self.streams[name] = Stream(value)
            return
        role = "set" if found.kind == "vectors" else "target" if last else "source"
        positions_letter = letters.free(role, "" if role == "target" else f"positions of {name}")
        value = self.root.graph.enter(
            name, input_type(found, letters, positions_letter), found.span
        )
        real = None
        if found.padded:
            length = letters.free("seen") if name == self.grown else positions_letter
            mask = TensorType("bool", (letters.free("batch"), length))
            real = self.root.graph.enter(self.ambience.beside(name, "mask"), mask, found.span)
        self.streams[name] = Stream(value, real, name)

    def _lower(self, name: str, node: Named, found: Stream) -> Stream:
        root, component, x = self.root, node.component, found.value
        cached = bool(self.grown) and found.input == self.grown
        match component:
            case Stack():
                return self._stack(name, component, found)
            case Embed():
                return self._moved(found, self._embed(name, node, component, x, cached))
            case Patches():
                inner = root.inside(name, "patches", node.span)
                image = inner.graph.enter(_entry(node.inputs[0]), root.type(x), node.span)
                inner.graph.outputs["x"] = patches(inner, component, image, self.draws)
                return Stream(self._put(name, inner, x), None, name)
            case Positions():
                inner = root.inside(name, "positions", node.span)
                entered = inner.graph.enter("x", root.type(x), node.span)
                inner.graph.outputs["x"] = positions(
                    inner, component.table, entered, cached, self.draws
                )
                return self._moved(found, self._put(name, inner, x))
            case Conv():
                return self._moved(found, conv(root, name, component, x, self.draws))
            case Norm():
                return self._moved(found, norm(root, name, component, x))
            case Linear():
                return self._moved(found, linear(root, name, component, x, self.draws))
            case Unembed():
                tied = self.tables[component.tie] if component.tie else None
                return self._moved(found, unembed(root, name, component, x, tied, self.draws))
            case Pool():
                ids = self.streams[component.ids].value if component.ids else None
                return Stream(pool(root, name, component, found, ids))
            case Drop():
                return self._moved(
                    found, root.op(name, Dropout(component.rate), x) if component.rate else x
                )
            case Join() | MeanOf():
                return self._moved(
                    found,
                    self._joined(name, component, [self.streams[i].value for i in node.inputs]),
                )
            case Attention() | Mlp():
                inner = root.inside(name, component.word, node.span, name)
                entered = inner.graph.enter("x", root.type(x), node.span)
                around = self._around(found)
                inner.graph.outputs["y"] = (
                    attention(inner, component, entered, around)
                    if isinstance(component, Attention)
                    else mlp(inner, component, entered, self.draws, 0.0)
                )
                return self._moved(found, self._put(name, inner, x))
            case _:
                root.reject(
                    "AR0390",
                    f"`{component.word}` is part of the language but not of this version",
                    "not yet",
                )

    def _moved(self, found: Stream, value: Value) -> Stream:
        return Stream(value, found.real, found.input)

    def _around(self, found: Stream) -> Around:
        typed = {n: (s, self.root.type(s.value)) for n, s in self.streams.items()}
        return Around(found, typed, bool(self.grown) and found.input == self.grown, self.draws)

    def _put(self, name: str, inner: Scope, x: Value) -> Value:
        """A component's graph as a call, or as its operator where it is only one."""
        only = single(inner)
        if only is None:
            self.root.children[inner.graph.name] = inner
            passed = [
                self.ambience.value(need, inner.graph[n].types[0])
                for n, need in inner.needs.items()
            ]
            return self.ambience.call(name, inner, [x, *passed])
        given = {Value(next(iter(inner.graph.inputs))): x}
        given |= {
            Value(n): self.ambience.value(need, inner.graph[n].types[0])
            for n, need in inner.needs.items()
        }
        inputs = tuple(None if v is None else given[v] for v in only.inputs)
        return self.root.graph.add(Node(name, only.what, inputs, only.types, inner.span))[0]

    def _embed(self, name: str, node: Named, component: Embed, ids: Value, cached: bool) -> Value:
        shared = self.tables[component.share] if component.share else None
        inner = self.root.inside(name, "embed", node.span, name)
        entered = inner.graph.enter(_entry(ids.node), self.root.type(ids), node.span)
        dropout = self.spec.dropout.embed
        inner.graph.outputs["x"] = embed(
            inner, component, entered, shared, cached, self.draws, dropout
        )
        path = f"{name}.weight" if single(inner) is not None else f"{name}.tokens.weight"
        if shared is None:
            vocabulary = self.root.letters.fixed("vocabulary", component.vocab or 0)
            width = self.root.letters.fixed("width", component.dim or 0)
            self.tables[name] = Table(path, vocabulary, width)
        else:
            self.tables[name] = shared
        return self._put(name, inner, ids)

    def _stack(self, name: str, stack: Stack, found: Stream) -> Stream:
        root, x = self.root, found.value
        around = self._around(found)
        variants = stack_variants(root, name, stack, x, around)
        for variant in variants:
            root.children[variant.graph.name] = variant
        for index, run in enumerate(runs(stack.order)):
            bodies = [variants[i] for i in run.cycle]
            repeat, needs = repeat_of(run, bodies, stack.share)
            types = {
                need: body.graph[n].types[0] for body in bodies for n, need in body.needs.items()
            }
            layers = root.letters.fixed("layers", len(stack.order), stack.repeat.said)
            passed = [self.ambience.value(need, types[need], layers) for need in needs]
            id_ = name if index == 0 else root.fresh(f"{name}_{run.start}")
            body = bodies[-1].graph
            out = tuple(body.type(value) for value in body.outputs.values())
            x = root.graph.add(
                Node(id_, repeat, (x, *passed), out, stack.span, name if index else "")
            )[0]
        return self._moved(found, x)

    def _joined(self, name: str, component: Join | MeanOf, values: list[Value]) -> Value:
        if isinstance(component, Join) and component.axis == "position":
            self.root.reject(
                "AR0390",
                "`axis: position` is part of the language but not of this version",
                "not yet",
            )
        x = values[0]
        for index, other in enumerate(values[1:], 1):
            id_ = (
                name
                if index == len(values) - 1 and isinstance(component, Join)
                else f"{name}_{index}"
            )
            x = self.root.op(id_, Concat() if isinstance(component, Join) else Add(), x, other)
        return x if isinstance(component, Join) else self.root.op(name, Scale(1 / len(values)), x)


OWN: Final = frozenset(
    "tokens scaled positions placed places typed types norm drop project flat cls dist registers".split()
)
"""What embeddings and patches call their parts, which parameters are named after."""


def _entry(name: str) -> str:
    """What an edge is called within an embedding or patches: as outside, if no part is called so."""
    return f"{name}_in" if name in OWN else name


def _draws(spec: Spec) -> Draws:
    stacks = [node.component for node in spec.graph.values() if isinstance(node.component, Stack)]
    steps = sum(len(stack.variants[i].sublayers) for stack in stacks for i in stack.order)
    init = spec.init
    return Draws(init.kind, init.std, init.depth_scaled, max(1, steps))
