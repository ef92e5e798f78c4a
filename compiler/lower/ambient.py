"""What layers take from the model around them: angles, masks, the decoder's state, borrowed tables."""

from dataclasses import dataclass, field
from typing import Literal

from compiler.ir.graph import Call, Node, Value
from compiler.ir.operator import Operator
from compiler.ir.size import Size
from compiler.ir.types import TensorType
from compiler.lower.scope import Need, Scope, Stream
from compiler.ops import Borrow, CausalMask, KeyMask, RopeAngles


@dataclass
class Ambience:
    """Serves each need of the model once, at the root graph."""

    root: Scope
    streams: dict[str, Stream]
    grown: str
    served: dict[tuple[Need, TensorType], Value] = field(default_factory=dict)

    def value(self, need: Need, found: TensorType, layers: Size | None = None) -> Value:
        """The value of a need; `layers` is the length of the stack that asks, for states with a slice a layer."""
        if need.kind == "kv" and layers is not None:
            found = TensorType(found.element, (layers, *found.shape), optional=True)
        known = self.served.get((need, found))
        if known is None:
            known = self.served[need, found] = self._make(need, found)
        return known

    def beside(self, name: str, kind: Literal["mask", "types"]) -> str:
        """What the input that goes with the input `name` is called; rejects a spec that says the
        same of something else."""
        wish = f"{name}_{kind}"
        if wish in self.root.reserved:
            taken = self.root.spec.graph.get(wish) or self.root.spec.inputs[wish]
            self.root.span = taken.span
            self.root.reject(
                "AR0405", f"name `{wish}` is taken", f"an input beside `{name}` for its {kind}"
            )
        return wish

    def call(self, name: str, inner: Scope, inputs: list[Value]) -> Value:
        """Use a component's graph at the root."""
        types = tuple(inner.graph.type(value) for value in inner.graph.outputs.values())
        return self.root.graph.add(
            Node(name, Call(inner.graph.name), tuple(inputs), types, inner.span)
        )[0]

    def _make(self, need: Need, found: TensorType) -> Value:
        match need.kind:
            case "pos":
                return self.root.graph.enter(self.root.fresh("pos"), found)
            case "kv":
                return self.root.graph.enter(self.root.fresh("kv"), found)
            case "memory":
                return self.streams[str(need.key[0])].value
            case "types":
                return self.root.graph.enter(self.beside(str(need.key[0]), "types"), found)
            case "table":
                vocabulary, width = found.shape
                return self._op("table", Borrow(str(need.key[0]), vocabulary, width))
            case "angle":
                operator, stream = need.key
                assert isinstance(operator, RopeAngles)
                path = self._path(str(stream))
                return self._op("angle", operator, path, self._pos(str(stream)))
            case "seen":
                return self._seen(need, found)

    def _seen(self, need: Need, found: TensorType) -> Value:
        query, key, causal = str(need.key[0]), str(need.key[1]), bool(need.key[2])
        real = self.streams[key].real
        x = self._path(query)
        if not causal:
            assert real is not None
            return self._op("seen" if query == key else "memory_seen", KeyMask(), real, x)
        kv = self._state() if found.optional else None
        operator = CausalMask(found.shape[-1], padded=real is not None)
        return self._op("seen", operator, x, kv, self._pos(query), real)

    def _op(self, wish: str, operator: Operator, *inputs: Value | None) -> Value:
        return self.root.op(self.root.fresh(wish), operator, *inputs)

    def _path(self, name: str) -> Value:
        """The latest value with the positions of a model input."""
        return [
            s.value
            for s in self.streams.values()
            if s.input == name and len(self.root.type(s.value).shape) == 3
        ][-1]

    def _pos(self, name: str) -> Value | None:
        if name != self.grown:
            return None
        return self.value(Need("pos"), TensorType("int", ()))

    def _state(self) -> Value:
        return next(value for (need, _), value in self.served.items() if need.kind == "kv")
