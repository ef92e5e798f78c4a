"""What goes from step to step or from an encoder to its decoder, as rules ask for it."""

from collections.abc import Callable, Sequence
from typing import Any

from compiler.backends.onnx.listing import Inner, Step
from compiler.backends.onnx.past import Held, Kept, Past
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.slots import behind, every
from compiler.backends.onnx.spot import Spot
from compiler.backends.onnx.use import Use
from compiler.ir.rules import Builder
from compiler.ir.size import Size, constant, value
from compiler.ir.types import TensorType
from compiler.ops.hand_over import KINDS
from compiler.ops.heads import side_by_side


class Keeping(Builder):
    """The part of a `Builder` that names inputs and outputs for keys, values and states.

    Its values stand for caches: keys and values are joined with earlier ones only where a rule
    reads all of them.
    """

    _sheet: Sheet
    _use: Use
    _spot: Spot
    _values: dict[str, Any]

    def either(
        self,
        condition: str,
        then: Callable[[], str],
        otherwise: Callable[[], str],
        *,
        like: str,
        named: str,
    ) -> str:
        """What one of two rules gives, of the type of a kept value: one node, a graph for each."""
        held = self._sheet.listing.past[like]
        graphs = {
            "then_branch": self._graph(then, held),
            "else_branch": self._graph(otherwise, held),
        }
        self._sheet.step(self._spot, "If", (condition,), 1, {}, graphs=graphs, named=(named,))
        return named

    def _graph(self, write: Callable[[], str], given: TensorType) -> Inner:
        """The steps of a rule as a graph that gives its result."""
        outer, self._sheet.steps = self._sheet.steps, []
        try:
            result, found = write(), self._sheet.steps
        finally:
            self._sheet.steps = outer
        steps = tuple(step for step in found if isinstance(step, Step))
        assert len(steps) == len(found), "a rule has no repeats"
        return Inner(self._spot.nodes, self._spot.owner, {}, {result: given}, steps)

    def keep(self, kind: str, x: str, shape: Sequence[Size]) -> str:
        """What new positions have behind what was kept of earlier ones."""
        sizes = [constant(self.fix(size)) or 0 for size in shape]
        return behind(self, *self._keeping(kind, shape), x, tuple(sizes))

    def _keeping(self, kind: str, shape: Sequence[Size]) -> tuple[str, str]:
        """The input with what was kept before, and the output with what is kept now."""
        past, present = self._values["kv"].names(kind)
        before = tuple(shape)
        after = (*before[:-2], self.dim("S"), before[-1])
        self._sheet.listing.past[past] = TensorType("float", before)
        self._sheet.listing.present[present] = TensorType("float", after)
        return past, present

    def keep_heads(self, kind: str, x: Any, width: str) -> Kept:
        """Keys or values of new positions, to be joined where they are used."""
        shape = [self._use.binding.letters[letter] for letter in ("B", "G", "C", width)]
        past, present = self._keeping(kind, shape)
        return Kept(x, past, present, value(self.dim("G")), value(self.dim(width)))

    def caches(self, port: str) -> bool:
        """Whether a port has keys or values that a decoder keeps."""
        return isinstance(self._values.get(port), Kept)

    def kept(self, port: str) -> Kept | None:
        """The parts of keys or values that a decoder keeps; None where they have been joined."""
        found = self._values.get(port)
        return (
            found if isinstance(found, Kept) and found.present not in self._sheet.joined else None
        )

    def every(self, port: str) -> str:
        """Keys or values [B, G, S, K] of all positions that a decoder has seen."""
        return self._every(self._values[port])

    def _every(self, found: Kept) -> str:
        known = self._sheet.joined.get(found.present)
        if known is None:
            known = self._sheet.joined[found.present] = every(self, found)
        return known

    def _joined(self, found: Kept) -> str:
        """Kept and new keys or values, side by side in the width."""
        return self._side_by_side(self._every(found), found.heads * found.width)

    def handed(self, kind: str) -> str:
        """The output that gives keys or values of a source [B, G, S, K] to a decoder."""
        name: str = self._values["slot"].names(kind)[1]
        shape = [self._use.binding.letters[letter] for letter in "BGSK"]
        self._sheet.listing.handed[name] = TensorType("float", tuple(shape))
        return name

    def past_state(self, port: str) -> str:
        """The input with the state of a recurrence that the last step has left."""
        past, _ = self._values[port].names()
        self._sheet.listing.past[past] = self._plain(port)
        return str(past)

    def present_state(self, port: str) -> str:
        """The output with the state behind a step; where nothing took one, it is handed over."""
        past, present = self._values[port].names()
        listing = self._sheet.listing
        given = listing.present if past in listing.past else listing.handed
        given[present] = self._plain(port)
        return str(present)

    def _plain(self, port: str) -> TensorType:
        ports = [each.name for each in self._use.operator.signature.inputs]
        found = self._use.inputs[ports.index(port)]
        assert found is not None
        return TensorType(found.element, found.shape)

    def held(self, port: str) -> Held | None:
        """Keys or values of a source that its encoder has made; None for any others."""
        past = self._values.get(port)
        if not isinstance(past, Past) or port not in KINDS:
            return None
        whole, _ = past.names(KINDS[port])
        letters = ("B", "G", "S", "K" if port == "k" else "W")
        shape = [self._use.binding.letters[letter] for letter in letters]
        self._sheet.listing.source[whole] = TensorType("float", tuple(shape))
        return Held(whole, value(self.fix(shape[1])), value(self.fix(shape[3])))

    def _side_by_side(self, whole: str, width: int) -> str:
        """Keys or values [B, G, S, K] with their heads in the width."""
        known = self._sheet.flat.get(whole)
        if known is None:
            known = self._sheet.flat[whole] = side_by_side(self, whole, width)
        return known
