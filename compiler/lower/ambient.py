"""What layers take from the model around them: angles, masks, the decoder's state, borrowed
tables."""

from dataclasses import dataclass, field, replace
from typing import Literal

from compiler.ir.graph import Call, Node, Value
from compiler.ir.operator import Operator
from compiler.ir.size import Size, as_poly
from compiler.ir.types import TensorType
from compiler.lower.bias import Bias, Rows
from compiler.lower.norm import norm
from compiler.lower.scope import Need, Scope, Stream
from compiler.lower.sight import Sight
from compiler.ops import (
    Alibi,
    Borrow,
    CausalMask,
    CountedPlaces,
    GridOffsets,
    KeyMask,
    MaskedBias,
    Newest,
    NewestReal,
    PlacedAngles,
    PlacedTemperatures,
    PrefixMask,
    Restart,
    RopeAngles,
    SeenMask,
    Temperatures,
)


@dataclass
class Ambience:
    """Serves each need of the model once, at the root graph."""

    root: Scope
    streams: dict[str, Stream]
    grown: str
    segments: dict[str, Value] = field(default_factory=dict)
    """The documents of the inputs that have several in a row."""
    served: dict[tuple[Need, TensorType], Value] = field(default_factory=dict)

    def value(self, need: Need, found: TensorType, layers: Size | None = None) -> Value:
        """The value of a need; `layers` is the length of the stack that asks, for states with a
        slice a layer."""
        if need.kind == "kv" and layers is not None:
            found = TensorType(found.element, (layers, *found.shape), optional=True)
        known = self.served.get((need, found))
        if known is None:
            known = self.served[need, found] = self._make(need, found)
        return known

    def beside(self, name: str, kind: Literal["mask", "segments", "types"]) -> str:
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
            case "real":
                return self._real(str(need.key[0]))
            case "new_real":
                return self._newest_real(str(need.key[0]))
            case "counted":
                name, before = str(need.key[0]), bool(need.key[1])
                return self._newest(
                    self._op("count", CountedPlaces(before), self._real(name)), name
                )
            case "memory":
                return self.streams[str(need.key[0])].value
            case "types":
                return self.root.graph.enter(self.beside(str(need.key[0]), "types"), found)
            case "table":
                vocabulary, width = found.shape
                return self._op("table", Borrow(str(need.key[0]), vocabulary, width))
            case "angle" | "factor":
                operator, stream = need.key
                if isinstance(operator, PlacedAngles | PlacedTemperatures):
                    return self._op(need.kind, operator, self._place(str(stream)))
                assert isinstance(operator, RopeAngles | Temperatures)
                path = self._path(str(stream))
                return self._op(need.kind, operator, path, self._pos(str(stream)))
            case "bias":
                return self._bias(need, found)
            case "place":
                return self._place(str(need.key[0]))
            case "seen":
                return self._seen(need, found)

    def _bias(self, need: Need, found: TensorType) -> Value:
        """A bias from positions, by way of a table where there is one, and what it hides."""
        (asked,) = need.key
        if isinstance(asked, Rows):
            name = self.root.fresh(f"{asked.stack}_bias")
            rows = self._op(name, asked.table)
            return norm(self.root, f"{name}_norm", asked.norm, rows) if asked.norm else rows
        assert isinstance(asked, Bias)
        if asked.sight is not None and asked.seen is not None:
            plain = TensorType("float", (as_poly(1), *found.shape[1:]))
            open_ = Need("bias", (replace(asked, sight=None, seen=None),))
            seen = self.value(Need("seen", (asked.sight,)), asked.seen)
            return self._op("mask", MaskedBias(), self.value(open_, plain), seen)
        if asked.table is not None:
            places = Need("bias", (replace(asked, table=None, stack=""),))
            bucket = self.value(places, TensorType("int", found.shape[2:]))
            return self._op(f"{asked.stack}_bias", asked.table, bucket)
        x = self._path(asked.query)
        if isinstance(asked.places, GridOffsets):
            return self._op("bucket", asked.places, x)
        wish = "bias" if isinstance(asked.places, Alibi) else "bucket"
        return self._op(wish, asked.places, x, self._pos(asked.query))

    def _seen(self, need: Need, found: TensorType) -> Value:
        (sight,) = need.key
        assert isinstance(sight, Sight)
        real = self.streams[sight.key].real
        x = self._path(sight.query)
        wish = "seen" if sight.query == sight.key else "memory_seen"
        if not sight.plain:
            return self._op(wish, *self._seen_mask(sight, x, found.shape[-1]))
        if not sight.causal:
            assert real is not None
            return self._op(wish, KeyMask(), real, x)
        kv = self._state() if found.optional else None
        operator = CausalMask(found.shape[-1], padded=real is not None)
        return self._op("seen", operator, x, kv, self._pos(sight.query), real)

    def _seen_mask(
        self, sight: Sight, x: Value, source: Size
    ) -> tuple[SeenMask, *tuple[Value | None, ...]]:
        """The operator of a mask that no kernel has built in, and its inputs."""
        within = self.segments.get(sight.key) if sight.segments else None
        crossing = sight.segments and sight.query != sight.key
        operator = SeenMask(source, sight.causal, sight.window, sight.chunk)
        inputs = (
            x,
            self._pos(sight.query),
            self.streams[sight.key].real,
            within,
            self._newest(self.segments[sight.query], sight.query) if crossing else None,
            self._restarted(sight.key) if within is not None and sight.chunk else None,
            self.streams[sight.edge].value if sight.edge else None,
        )
        if not sight.prefix:
            return operator, *inputs
        prefixed = PrefixMask(source, sight.causal, sight.window, sight.chunk)
        return prefixed, *inputs, self.streams[sight.prefix].value

    def _restarted(self, name: str) -> Value:
        """The place of every seen position of an input within its document."""
        need = Need("place", (name, "seen"))
        found = TensorType("int", self.root.type(self.segments[name]).shape)
        known = self.served.get((need, found))
        if known is None:
            known = self._op("place", Restart(), self.segments[name])
            self.served[need, found] = known
        return known

    def _place(self, name: str) -> Value:
        """The same of the new positions."""
        need = Need("place", (name, "new"))
        found = self.root.type(self.streams[name].value)
        known = self.served.get((need, found))
        if known is None:
            known = self._newest(self._restarted(name), name)
            self.served[need, found] = known
        return known

    def _newest(self, marks: Value, name: str) -> Value:
        """Marks of all seen positions of an input, cut to those of the new ones."""
        if name != self.grown:
            return marks
        return self._op(f"new_{marks.node}", Newest(), marks, Value(name), self._pos(name))

    def _newest_real(self, name: str) -> Value:
        """The padding mask of an input, cut to its new positions."""
        real = self._real(name)
        if name != self.grown:
            return real
        return self._op("new_real", NewestReal(), real, Value(name), self._pos(name))

    def _real(self, name: str) -> Value:
        real = self.streams[name].real
        assert real is not None
        return real

    def _op(self, wish: str, operator: Operator, *inputs: Value | None) -> Value:
        return self.root.op(self.root.fresh(wish), operator, *inputs)

    def _path(self, name: str) -> Value:
        """The first value with the positions of a model input."""
        return next(
            s.value
            for s in self.streams.values()
            if s.input == name and len(self.root.type(s.value).shape) == 3
        )

    def _pos(self, name: str) -> Value | None:
        if name != self.grown:
            return None
        return self.value(Need("pos"), TensorType("int", ()))

    def _state(self) -> Value:
        return next(value for (need, _), value in self.served.items() if need.kind == "kv")
