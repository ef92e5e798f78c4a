"""The last states of recurrences: what `NAME.final` is, and what another recurrence starts from."""

from dataclasses import dataclass, field

from archspec.components.rnn import Rnn
from archspec.model.finals import node_of, way_of
from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.operator import Operator
from compiler.ir.size import Size, as_poly
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.ops import Activation, LayerState, LayerStates, Linear, ZeroState, ZeroStates
from compiler.ops.states import Way


class Final(Frozen):
    """The last states of a recurrence, [layers·ways, B, dim] each: `held` is h, or h and c."""

    part: Rnn
    held: tuple[Value, ...]


@dataclass
class Finals:
    """The last states of every recurrence of a model so far, at its root graph."""

    root: Scope
    draws: Draws
    known: dict[str, Final] = field(default_factory=dict)
    tops: dict[str, Value] = field(default_factory=dict)

    def top(self, edge: str) -> Value:
        """[B, width] of `memory.final`: the last layer's state, both ways side by side."""
        if edge not in self.tops:
            found = self.known[node_of(edge)]
            operator = LayerState(
                self._width(found.part, edge), found.part.layers - 1, _way(found.part, edge)
            )
            self.tops[edge] = self.root.op(edge.replace(".", "_"), operator, found.held[0])
        return self.tops[edge]

    def stacked(self, name: str, part: Rnn, like: Value) -> tuple[Value, ...]:
        """The first states of all layers, [layers, B, dim] each; zeros for the rows of `like` where
        the spec names no others."""
        if part.start is None:
            size = self.root.letters.fixed("width", part.dim, part.dim.said)
            operator = ZeroStates(as_poly(int(part.layers)), size)
            return tuple(self.root.op(id_, operator, like) for id_ in names(name, part))
        found = self._fitting(part, part.start)
        way = _way(found.part, part.start)
        states = found.held[: len(names(name, part))]
        if way != "only":
            width = self._width(found.part, part.start)
            turned = LayerStates(as_poly(int(part.layers)), width, way)
            states = self._each(name, part, turned, states)
        return self._projected(name, part, states)

    def single(self, name: str, part: Rnn, like: Value) -> tuple[Value, ...]:
        """The first states of a decoder that goes step by step: [B, dim] where it has one layer."""
        if part.layers > 1:
            return self.stacked(name, part, like)
        if part.start is None:
            operator = ZeroState(self.root.letters.fixed("width", part.dim, part.dim.said))
            return tuple(self.root.op(id_, operator, like) for id_ in names(name, part))
        found = self._fitting(part, part.start)
        picked = LayerState(self._width(found.part, part.start), 0, _way(found.part, part.start))
        held = found.held[: len(names(name, part))]
        return self._projected(name, part, self._each(name, part, picked, held))

    def _each(
        self, name: str, part: Rnn, operator: Operator, states: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """What an operator makes of a state and a cell; a map behind it takes their final names."""
        mapped = part.init is not None and part.init.project is not None
        ids = [f"{id_}_from" if mapped else id_ for id_ in names(name, part)]
        return tuple(
            self.root.op(id_, operator, state) for id_, state in zip(ids, states, strict=True)
        )

    def _projected(self, name: str, part: Rnn, states: tuple[Value, ...]) -> tuple[Value, ...]:
        if part.init is None or part.init.project is None:
            return states
        size = self.root.letters.fixed("width", part.dim, part.dim.said)
        made: list[Value] = []
        maps = (f"{name}_init", f"{name}_init_cell")
        for id_, own, state in zip(maps, names(name, part), states, strict=False):
            init = self.draws.inner(self.root.width(state), part.dim)
            mapped = self.root.op(id_, Linear(size, init=init), state)
            made.append(self.root.op(own, Activation("tanh"), mapped))
        return tuple(made)

    def _fitting(self, part: Rnn, edge: str) -> Final:
        """The last states that another recurrence starts from; rejects those that do not fit."""
        found = self.known[node_of(edge)]
        place = "rnn.init.from"
        if found.part.layers != part.layers:
            self.root.reject(
                "AR0310",
                "states come layer by layer",
                f"{found.part.layers} arrive, {part.layers} start",
                f"give both as many `layers`, or read `{edge}` as `context`",
                place,
            )
        if part.cell == "lstm" and len(found.held) == 1:
            self.root.reject(
                "AR0310",
                "an LSTM starts from a state and a cell",
                f"`{node_of(edge)}` is a `{found.part.cell}` and has no cell",
                "make both `lstm`",
                place,
            )
        arriving = found.part.dim * (2 if _way(found.part, edge) == "both" else 1)
        if arriving != part.dim and (part.init is None or part.init.project is None):
            self.root.reject(
                "AR0310",
                "a state starts in the width that it arrives in",
                f"{arriving} wide arrives, {part.dim} wide starts",
                "add `project: tanh`"
                + (", or take `.fwd` or `.bwd`" if arriving > part.dim else ""),
                place,
            )
        return found

    def _width(self, part: Rnn, edge: str) -> Size:
        return state_width(self.root, part, 2 if _way(part, edge) == "both" else 1)


def state_width(scope: Scope, part: Rnn, ways: int) -> Size:
    """The letter of a state's width, or of two states side by side."""
    size = scope.letters.fixed("width", part.dim, part.dim.said)
    if ways == 1:
        return size
    said = f"2*{part.dim.said}" if part.dim.said else ""
    return scope.letters.fixed("width", 2 * part.dim, said, "width of both directions")


def names(name: str, part: Rnn) -> tuple[str, ...]:
    """What the first states of a recurrence are called: its state, and its cell where it has
    one."""
    return (f"{name}_h", f"{name}_c") if part.cell == "lstm" else (f"{name}_h",)


def _way(part: Rnn, edge: str) -> Way:
    if not part.bidirectional:
        return "only"
    found = way_of(edge)
    return "fwd" if found == "fwd" else "bwd" if found == "bwd" else "both"
