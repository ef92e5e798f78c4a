"""Where operators are put while a component is lowered: a graph in the making and what it needs
from outside."""

from dataclasses import dataclass, field
from typing import Final, Literal, NoReturn, TypeAlias

from archspec.model.spec import Spec
from archspec.model.stack import Stack
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.ir.graph import Call, Entry, Graph, Node, Value
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import join
from compiler.ir.signature import RankError, ShapeError
from compiler.ir.size import Size, as_poly, constant
from compiler.ir.types import TensorType

ROOT: Final = "main"
"""The name of the root graph; the graph of a node that is called so has another one."""

Ambient: TypeAlias = Literal[
    "angle",
    "bias",
    "factor",
    "seen",
    "memory",
    "kv",
    "pos",
    "place",
    "counted",
    "table",
    "types",
    "real",
    "new_real",
]


class Need(Frozen):
    """A value that a graph takes from the model around it; equal needs are served by one value.

    `key` tells needs of one kind apart: the base of rotary angles, the edge that a cross-attention
    reads.
    """

    kind: Ambient
    key: tuple[object, ...] = ()


class Stream(Frozen):
    """A value that flows along the main path: `real` is its padding mask while it has positions."""

    value: Value
    real: Value | None = None
    input: str = ""
    """The model input whose positions it has; empty once they are gone."""


class Rejected(Exception):  # noqa: N818  # what is said is said by its diagnostic
    """The spec cannot be lowered; carries the diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass
class Scope:
    """One graph while it is filled."""

    spec: Spec
    letters: Letters
    graph: Graph
    path: str = ""
    where: str = ""
    """The dotted path of the component in the spec, for the spans of its fields."""
    span: Span = field(default_factory=lambda: Span("", 1, 1, 1, 1))
    needs: dict[str, Need] = field(default_factory=dict)
    children: dict[str, "Scope"] = field(default_factory=dict)
    reserved: frozenset[str] = frozenset()
    """What the spec calls the nodes of this graph; what it does not name is called otherwise."""
    repeated: bool = False
    """Whether several layers use the weights of this graph."""

    def inside(self, name: str, title: str, span: Span, where: str = "") -> "Scope":
        """An empty scope for a graph below this one."""
        path = join(self.path, name)
        graph = Graph(path if path != ROOT else f"{path}.", title, span)
        return Scope(
            self.spec, self.letters, graph, path, where or path, span, repeated=self.repeated
        )

    def op(self, id_: str, operator: Operator, *inputs: Value | None) -> Value:
        """Add an operator of one output."""
        return self.ops(id_, operator, *inputs)[0]

    def ops(self, id_: str, operator: Operator, *inputs: Value | None) -> tuple[Value, ...]:
        """Add an operator; a shape that does not fit becomes a diagnostic at this scope's place."""
        try:
            types = operator.infer(self.graph.types(inputs), self.letters)
        except (ShapeError, RankError) as error:
            place = join(self.path, id_) if self.path else self.where
            self.reject("AR0301", str(error), f"here, in `{place}`")
        name = id_ if id_ == self.where else self.fresh(id_)
        return self.graph.add(Node(name, operator, inputs, types, self.span))

    def fresh(self, wish: str) -> str:
        """A name for a node that the spec does not name: `wish`, or `wish_2` and so on."""
        return self.graph.free_id(wish, self.reserved)

    def need(self, need: Need, found: TensorType, name: str) -> Value:
        """The value of a need as an input of this graph, entered once."""
        for known, existing in self.needs.items():
            if existing == need:
                return Value(known)
        id_ = self.fresh(name)
        self.needs[id_] = need
        return self.graph.enter(id_, found, self.span)

    def call(self, id_: str, child: "Scope", *inputs: Value) -> Value:
        """Use a graph made in a scope below; what it needs becomes a need of this graph."""
        self.children[child.graph.name] = child
        passed = [
            self.need(need, child.graph[name].types[0], name) for name, need in child.needs.items()
        ]
        types = tuple(child.graph.type(value) for value in child.graph.outputs.values())
        return self.graph.add(
            Node(id_, Call(child.graph.name), (*inputs, *passed), types, child.span)
        )[0]

    def type(self, value: Value) -> TensorType:
        """The type of a value of this graph."""
        return self.graph.type(value)

    def sequence(self, value: Value, word: str) -> tuple[Size, Size, Size]:
        """Batch, positions and width of a value; rejects one that is no sequence of vectors."""
        shape = self.type(value).shape
        if len(shape) != 3:
            self.reject(
                "AR0301",
                f"`{word}` takes a sequence of vectors, 3 dimensions",
                f"{len(shape)} dimensions come in",
            )
        return shape[0], shape[1], shape[2]

    def real(self, stream: Stream, batch: Size, places: Size) -> Value | None:
        """The padding mask of a path, where it has one, as an input of this graph."""
        if stream.real is None:
            return None
        return self.need(Need("real", (stream.input,)), TensorType("bool", (batch, places)), "real")

    @property
    def stack(self) -> str:
        """The stack that this graph belongs to; empty where it is no layer's."""
        name = self.path.partition(".")[0]
        found = self.spec.graph.get(name)
        return name if found is not None and isinstance(found.component, Stack) else ""

    def packs(self, name: str) -> bool:
        """Whether `name` is an input with several documents a row."""
        given = self.spec.inputs.get(name)
        return given is not None and given.segments

    def width(self, value: Value) -> int:
        """The last dimension of a value as a number; rejects a value whose width is not fixed."""
        number = constant(self.letters.fix(self.type(value).shape[-1]))
        if number is None:
            self.reject(
                "AR0302",
                "this input has no fixed width",
                "needs a width known when the model is built",
            )
        return number

    def reject(
        self, code: str, message: str, label: str, help_: str = "", field: str = ""
    ) -> NoReturn:
        """Stop with a diagnostic at this scope's place, or at a field of its component."""
        span = self.spec.span_of(f"{self.where}.{field}") if field else self.span
        raise Rejected(Diagnostic(code, message, Label(span, label), (), help_))


def single(scope: Scope) -> Node | None:
    """The only operator of a graph that does nothing else, or None."""
    nodes = [node for node in scope.graph if not isinstance(node.what, Entry)]
    if len(nodes) != 1 or not isinstance(nodes[0].what, Operator):
        return None
    return nodes[0]


def fixed(size: Size) -> int:
    """A size that is a number."""
    number = constant(as_poly(size))
    if number is None:
        raise ValueError(f"{size} is not fixed")
    return number
