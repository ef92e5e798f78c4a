"""A recurrent decoder that looks at its source: the graph of one step, and the scan over all."""

from archspec.components.attend import Attend
from archspec.components.rnn import Rnn
from compiler.ir.graph import Node, Scan, Value
from compiler.ir.operator import Operator
from compiler.ir.size import Size, as_poly, value
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope, Stream
from compiler.ops import (
    Activation,
    AdditiveScores,
    Cell,
    Concat,
    DotScores,
    LayerState,
    Linear,
    LstmCell,
    Mixture,
    SourceWeights,
    StackedCell,
    StackedLstmCell,
    ZeroState,
)
from compiler.ops.gates import GATES


def scan(
    root: Scope,
    name: str,
    part: Rnn,
    x: Value,
    first: tuple[Value, ...],
    like: Value,
    looked: Stream,
    draws: Draws,
) -> tuple[Value, list[tuple[Value, Value]]]:
    """The outputs [B, T, width], and each first state with the last one.

    `first` are the states of each layer before the first step, h and then c; `looked` is the
    source.
    """
    attend = part.attend
    assert attend is not None
    size = root.letters.fixed("width", part.dim, part.dim.said)
    if attend.input_feeding:
        fed = ZeroState(_width(root, attend))
        first = (*first, root.op(f"{name}_fed", fed, like))
    key = _key(root, name, attend, looked.value, size, draws)
    shared = {"key": key, "memory": looked.value}
    if key == looked.value:
        del shared["key"]
    if looked.real is not None:
        shared["seen"] = looked.real
    step = Step(root.inside(name, f"{name} step", root.span, name), part, attend, draws)
    step.fill(
        [root.type(v) for v in first], root.type(x), {n: root.type(v) for n, v in shared.items()}
    )
    root.children[step.scope.graph.name] = step.scope
    batch, times, _ = root.type(x).shape
    outputs = [step.scope.graph.type(v) for v in step.scope.graph.outputs.values()]
    y = outputs[-1]
    stacked = TensorType(y.element, (batch, times, *y.shape[1:]))
    what = Scan(step.scope.graph.name, len(first), 1, times)
    types = (*outputs[:-1], stacked)
    inputs = (*first, x, *shared.values())
    *last, found = root.graph.add(Node(name, what, inputs, types, root.span))
    return found, list(zip(first, last, strict=True))


def _width(scope: Scope, attend: Attend) -> Size:
    assert attend.dim is not None
    return scope.letters.fixed("width", attend.dim, attend.dim.said)


def _key(root: Scope, name: str, attend: Attend, memory: Value, size: Size, draws: Draws) -> Value:
    """What a state is compared with: the source, or a map of it that is the same for all steps."""
    shape = root.type(memory).shape
    if len(shape) != 3:
        root.reject(
            "AR0301",
            "`attend` looks at a sequence",
            f"`{attend.source}` has {len(shape)} dimensions",
            field="rnn.attend.source",
        )
    wide, state = root.width(memory), value(root.letters.fix(size))
    match attend.score:
        case "additive" | "general":
            out = _width(root, attend) if attend.score == "additive" else size
            init = draws.inner(wide, value(root.letters.fix(out)))
            return root.op(f"{name}_key", Linear(out, init=init), memory)
        case _:
            if state != wide:
                root.reject(
                    "AR0310",
                    f"`{attend.score}` compares vectors of one width",
                    f"the state is {state} wide, `{attend.source}` {wide}",
                    "use `score: general`, which maps one to the other",
                    field="rnn.attend.score",
                )
            return memory


class Step:
    """The graph of one step while it is filled."""

    def __init__(self, scope: Scope, part: Rnn, attend: Attend, draws: Draws) -> None:
        self.scope, self.part, self.attend, self.draws = scope, part, attend, draws
        self.shared: dict[str, Value] = {}

    def fill(self, states: list[TensorType], x: TensorType, shared: dict[str, TensorType]) -> None:
        """Enter the inputs and write the step: cells, and the look before or behind them."""
        scope = self.scope
        names = self._names()
        held = [
            scope.graph.enter(name, found, scope.span)
            for name, found in zip(names, states, strict=True)
        ]
        read = scope.graph.enter("x", _one(x), scope.span)
        for name, found in shared.items():
            self.shared[name] = scope.graph.enter(name, found, scope.span)
        before = held[:-1] if self.attend.input_feeding else held
        mix = self._look(self._top(before)) if self.attend.query == "previous" else None
        if mix is not None and self.attend.feed == "input":
            read = scope.op("read", Concat(), read, mix)
        if self.attend.input_feeding:
            read = scope.op("read", Concat(), read, held[-1])
        after = self._cells(read, before)
        y = top = self._top(after)
        mix = self._look(top) if mix is None else mix
        if self.attend.feed == "combine":
            y = self._combined(mix, top)
        after += [y] if self.attend.input_feeding else []
        scope.graph.outputs.update(zip(names, after, strict=True))
        scope.graph.outputs["y"] = y

    def _names(self) -> list[str]:
        names = ["h", "c"] if self.part.cell == "lstm" else ["h"]
        return [*names, "fed"] if self.attend.input_feeding else names

    def _cells(self, read: Value, before: list[Value]) -> list[Value]:
        """The states behind the step: h, and c where there is one."""
        part, count = self.part, as_poly(int(self.part.layers))
        size = self.scope.letters.fixed("width", part.dim, part.dim.said)
        cell: Operator
        if part.cell == "lstm":
            cell = LstmCell(size) if part.layers == 1 else StackedLstmCell(size, count, part.layers)
        elif part.layers == 1:
            cell = Cell(size, GATES[part.cell].count, part.cell)
        else:
            cell = StackedCell(size, count, part.cell, part.layers)
        return list(self.scope.ops("cell", cell, read, *before))

    def _top(self, held: list[Value]) -> Value:
        """The state of the last layer, [B, D]."""
        if self.part.layers == 1:
            return held[0]
        size = self.scope.letters.fixed("width", self.part.dim, self.part.dim.said)
        return self.scope.op("top", LayerState(size, int(self.part.layers) - 1), held[0])

    def _look(self, state: Value) -> Value:
        """The mixture of the source that a state asks for."""
        scope, attend = self.scope, self.attend
        memory = self.shared["memory"]
        key = self.shared.get("key", memory)
        if attend.score == "additive":
            width = _width(scope, attend)
            init = self.draws.inner(scope.width(state), int(attend.dim or 0))
            query = scope.op("query", Linear(width, init=init), state)
            one = self.draws.inner(int(attend.dim or 0), 1)
            scores = scope.op("score", AdditiveScores(init=one), query, key)
        else:
            scores = scope.op("scores", DotScores(attend.score == "scaled_dot"), state, key)
        weights = scope.op("weights", SourceWeights(), scores, self.shared.get("seen"))
        return scope.op("mix", Mixture(), weights, memory)

    def _combined(self, mix: Value, state: Value) -> Value:
        scope = self.scope
        both = scope.op("both", Concat(), mix, state)
        init = self.draws.inner(scope.width(both), int(self.attend.dim or 0))
        mapped = scope.op("combine", Linear(_width(scope, self.attend), init=init), both)
        return scope.op("combined", Activation("tanh"), mapped)


def _one(sequence: TensorType) -> TensorType:
    """One position of a sequence."""
    batch, _, *rest = sequence.shape
    return TensorType(sequence.element, (batch, *rest))
