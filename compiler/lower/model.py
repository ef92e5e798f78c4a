"""The root graph of a model: every node of the spec's graph lowered, in order."""

from dataclasses import dataclass, field
from typing import Final

from archspec.components.attention import Attention
from archspec.components.attention_pool import AttentionPool
from archspec.components.component import Component
from archspec.components.concat import Concat
from archspec.components.contrast import Contrast
from archspec.components.conv import Conv
from archspec.components.conv_stem import ConvStem
from archspec.components.dropout import Dropout as Drop
from archspec.components.embed import Embed
from archspec.components.linear import Linear
from archspec.components.mean_of import MeanOf
from archspec.components.mlp import Mlp
from archspec.components.moe import Moe
from archspec.components.norm import Norm
from archspec.components.patches import Patches
from archspec.components.pool import Pool
from archspec.components.positions import Positions
from archspec.components.rnn import Rnn
from archspec.components.unembed import Unembed
from archspec.model.spec import Node as Named
from archspec.model.spec import Spec
from archspec.model.stack import Stack
from compiler.ir.graph import Node, Value
from compiler.lower.ambient import Ambience
from compiler.lower.attention import Around, attention
from compiler.lower.attention_pool import attention_pool
from compiler.lower.conv import conv
from compiler.lower.conv_stem import conv_stem, shortened
from compiler.lower.draws import Draws
from compiler.lower.embed import Table, embed
from compiler.lower.entries import Entries
from compiler.lower.extension import extension
from compiler.lower.finals import Finals
from compiler.lower.inputs import grown_input
from compiler.lower.joining import contrast, joined
from compiler.lower.linear import linear
from compiler.lower.mlp import mlp
from compiler.lower.moe import moe
from compiler.lower.norm import norm
from compiler.lower.patches import patches
from compiler.lower.pool import pool
from compiler.lower.positions import Course, positions
from compiler.lower.rnn import Recurrences
from compiler.lower.scope import Scope, Stream, single
from compiler.lower.stack import repeat_of, runs, stack_variants
from compiler.lower.stepping import stepped_input
from compiler.lower.unembed import unembed
from compiler.ops import Dropout

ON_IMAGES: Final = (Patches, Conv, Drop, MeanOf)
"""What can follow an image [B, C, h, w]; others read vectors in the last dimension."""


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
        self.draws = Draws.of(self.spec)
        stepped = "" if self.grown else stepped_input(self.spec)
        self.recurrences = Recurrences(Finals(self.root, self.draws), self.streams, stepped)
        self.ambience = Ambience(self.root, self.streams, self.grown)
        Entries(self.ambience, self.grown or stepped).fill()
        for name, node in self.spec.graph.items():
            self.root.span, self.root.where = node.span, name
            above = self.recurrences.stream(node.inputs[0]) if node.inputs else Stream(Value(""))
            self.streams[name] = self._lower(name, node, above)
        for name in self.spec.outputs:
            self.root.graph.outputs[name] = self.streams[name].value

    def _lower(self, name: str, node: Named, found: Stream) -> Stream:
        root, component, x = self.root, node.component, found.value
        cached = bool(self.grown) and found.input == self.grown
        if node.inputs and not isinstance(component, ON_IMAGES) and len(root.type(x).shape) == 4:
            word = "stack" if isinstance(component, Stack) else component.word
            root.reject(
                "AR0301", f"`{word}` takes vectors in the last dimension", "an image comes in"
            )
        match component:
            case Stack():
                return self._stack(name, component, found)
            case Embed():
                return self._moved(found, self._embed(name, node, component, found))
            case Patches():
                return self._patches(name, node, component, x)
            case Positions():
                inner = root.inside(name, "positions", node.span)
                entered = inner.graph.enter("x", root.type(x), node.span)
                padded = found.real is not None
                course = Course(found.input, cached, padded, "positions.table.from")
                inner.graph.outputs["x"] = positions(
                    inner, component.table, entered, course, self.draws
                )
                return self._moved(found, self._put(name, inner, x))
            case Conv():
                filtered, real = conv(root, name, component, x, self.draws, found.real)
                after, before = root.type(filtered).shape, root.type(x).shape
                kept = len(before) == 4 or after[1] == before[1]
                return Stream(filtered, real, found.input if kept else name)
            case ConvStem():
                return self._stem(name, node, component, found)
            case Rnn():
                return self.recurrences.lower(name, component, found)
            case Norm():
                return self._moved(found, norm(root, name, component, x))
            case Linear():
                return self._moved(found, linear(root, name, component, x, self.draws))
            case Unembed():
                tied = self.tables[component.tie] if component.tie else None
                return self._moved(found, unembed(root, name, component, x, tied, self.draws))
            case Pool(attention=AttentionPool() as asking):
                inner = root.inside(name, "attention_pool", node.span, f"{name}.pool.attention")
                entered = inner.graph.enter("x", root.type(x), node.span)
                inner.graph.outputs["y"] = attention_pool(inner, asking, entered, found, self.draws)
                return Stream(self._put(name, inner, x))
            case Pool():
                ids = self.streams[component.ids].value if component.ids else None
                return Stream(pool(root, name, component, found, ids))
            case Drop():
                dropped = root.op(name, Dropout(component.rate), x) if component.rate else x
                return self._moved(found, dropped)
            case Contrast():
                towers = [self.recurrences.stream(edge).value for edge in node.inputs]
                return Stream(contrast(root, name, component, towers))
            case Concat() | MeanOf():
                streams = [self.recurrences.stream(edge) for edge in node.inputs]
                return joined(root, name, component, streams)
            case _:
                return self._mixer(name, node, component, found)

    def _patches(self, name: str, node: Named, component: Patches, image: Value) -> Stream:
        inner = self.root.inside(name, "patches", node.span)
        entered = inner.graph.enter(_entry(node.inputs[0]), self.root.type(image), node.span)
        dropout = self.spec.dropout.embed
        inner.graph.outputs["x"] = patches(inner, component, entered, self.draws, dropout)
        return Stream(self._put(name, inner, image), None, name)

    def _stem(self, name: str, node: Named, component: ConvStem, found: Stream) -> Stream:
        inner = self.root.inside(name, "stem", node.span, name)
        entered = inner.graph.enter("x", self.root.type(found.value), node.span)
        given = self.spec.inputs.get(node.inputs[0])
        frames = given is not None and given.kind == "frames"
        inner.graph.outputs["x"] = conv_stem(
            inner, component, entered, found, name, frames, self.draws, self.spec.dropout.embed
        )
        real = shortened(self.root, component, found, name, frames)
        return Stream(self._put(name, inner, found.value), real, name)

    def _mixer(self, name: str, node: Named, component: Component, found: Stream) -> Stream:
        """A mixer or an extension as a node of the graph: no residual and no norm around it."""
        inner = self.root.inside(name, component.word, node.span, name)
        entered = inner.graph.enter("x", self.root.type(found.value), node.span)
        match component:
            case Attention():
                y = attention(inner, component, entered, self._around(found))
            case Moe():
                y = moe(inner, component, entered, self.draws, 0.0)
            case Mlp():
                y = mlp(inner, component, entered, self.draws, 0.0)
            case _:
                y = extension(inner, component, entered, self._around(found))
        inner.graph.outputs["y"] = y
        return self._moved(found, self._put(name, inner, found.value))

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

    def _embed(self, name: str, node: Named, component: Embed, found: Stream) -> Value:
        ids, cached = found.value, bool(self.grown) and found.input == self.grown
        shared = self.tables[component.share] if component.share else None
        inner = self.root.inside(name, "embed", node.span, name)
        entered = inner.graph.enter(_entry(ids.node), self.root.type(ids), node.span)
        dropout = self.spec.dropout.embed
        course = Course(ids.node, cached, found.real is not None, "embed.positions.from")
        inner.graph.outputs["x"] = embed(
            inner, component, entered, course, shared, self.draws, dropout
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


OWN: Final = frozenset(
    (
        *("tokens", "scaled", "positions", "placed", "places", "typed", "types", "norm", "drop"),
        *("project", "flat", "cls", "dist", "registers"),
    )
)
"""What embeddings and patches call their parts, which parameters are named after."""


def _entry(name: str) -> str:
    """What an edge is called within an embedding or patches: as outside, if no part is called
    so."""
    return f"{name}_in" if name in OWN else name
