"""Recurrence: one operator over a whole sequence, or a scan where each step looks at a source."""

from dataclasses import dataclass, field

from archspec.components.rnn import Rnn
from compiler.ir.graph import Value
from compiler.ir.operator import Operator
from compiler.ir.size import as_poly
from compiler.lower.attention import Around
from compiler.lower.finals import Final, Finals, state_width
from compiler.lower.scan import scan
from compiler.lower.scope import Scope, Stream
from compiler.ops import BesideEach, LstmRecurrence, Recurrence


@dataclass
class Recurrences:
    """Lowers the recurrences of a root graph, and knows what a decoder takes from step to step.

    `stepped` is the input that recurrent decoders read step by step, `states` are their first
    states, each with what it becomes.
    """

    finals: Finals
    streams: dict[str, Stream]
    stepped: str
    states: list[tuple[Value, Value]] = field(default_factory=list)

    def stream(self, edge: str) -> Stream:
        """What an edge carries; `memory.final` is a vector."""
        found = self.streams.get(edge)
        return Stream(self.finals.top(edge)) if found is None else found

    def lower(self, name: str, part: Rnn, found: Stream) -> Stream:
        """[B, T, D] to [B, T, `dim`·ways], or `attend.dim` wide where a step ends in `combine`."""
        root, x = self.finals.root, found.value
        _check_sequence(root, x)
        if part.context is not None:
            x = root.op(f"{name}_in", BesideEach(), x, self.finals.top(part.context))
        steps = bool(self.stepped) and found.input == self.stepped
        like = self._like(x) if steps else x
        if part.attend is not None:
            looked = self.streams[part.attend.source]
            first = self.finals.single(name, part, like)
            y, pairs = scan(root, name, part, x, first, like, looked, self.finals.draws)
        else:
            y, pairs = self._whole(name, part, x, found, like if steps else None)
        if steps:
            self.states += pairs
        return Stream(y, found.real, found.input)

    def _whole(
        self, name: str, part: Rnn, x: Value, found: Stream, like: Value | None
    ) -> tuple[Value, list[tuple[Value, Value]]]:
        root = self.finals.root
        given: tuple[Value, ...] = ()
        if like is not None or part.start is not None:
            given = self.finals.stacked(name, part, like or x)
        held = given or (None, None)[: 2 if part.cell == "lstm" else 1]
        y, *last = root.ops(name, recurrence(root, part), x, *held, found.real)
        self.finals.known[name] = Final(part, tuple(last))
        return y, list(zip(given, last, strict=False))

    def _like(self, x: Value) -> Value:
        """A value with the rows of the batch that is there before the first step."""
        root = self.finals.root
        outside = (s.value for s in self.streams.values() if s.input != self.stepped)
        return next((v for v in outside if root.type(v).element == "float"), x)


def mixer(scope: Scope, part: Rnn, x: Value, around: Around) -> Value:
    """A recurrence within a residual step: it starts from zeros and mixes what it is given."""
    for name in ("attend", "context", "init"):
        if getattr(part, name) is not None:
            scope.reject(
                "AR0408",
                f"`{name}` belongs to an `rnn` that is a node of the graph",
                "a mixer starts from zeros and reads only its input",
            )
    _check_sequence(scope, x)
    batch, places = scope.type(x).shape[:2]
    real = scope.real(around.stream, batch, places)
    none = (None, None)[: 2 if part.cell == "lstm" else 1]
    return scope.ops("rnn", recurrence(scope, part), x, *none, real)[0]


def recurrence(scope: Scope, part: Rnn) -> Operator:
    """The operator of a recurrence that looks at nothing."""
    size = state_width(scope, part, 1)
    width = state_width(scope, part, part.ways)
    count = as_poly(part.layers * part.ways)
    if part.cell == "lstm":
        return LstmRecurrence(size, width, count, part.layers, part.ways)
    return Recurrence(size, width, count, part.cell, part.layers, part.ways)


def _check_sequence(scope: Scope, x: Value) -> None:
    found = scope.type(x)
    if len(found.shape) != 3 or found.element != "float":
        scope.reject("AR0301", "`rnn` takes a sequence of vectors", f"this is {found}")
