"""Degrees of parallelism that a model cannot be cut by, each with the line that says the size."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.span import Span
from compiler.ir.graph import Node, Repeat, Value
from compiler.ir.letters import Letters
from compiler.ir.size import constant
from compiler.ops import GroupedLinear
from compiler.passes.cost import Costs
from compiler.passes.cuts import Axis, Cuts, cuts
from compiler.passes.mixers import mixers
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.layout import Part, stacks

ASKED: Final = "--parallel"


def misfits(costs: Costs, at: Mapping[str, int], degrees: Degrees) -> tuple[Diagnostic, ...]:
    """Everything that stands against spreading a model so; nothing where it goes."""
    found = [*_tensor(costs, degrees), *_stages(costs, degrees), *_experts(costs, degrees)]
    return (*found, *_sequence(costs, at, degrees))


def shares_sequences(parts: Sequence[Part], graphs: Mapping[str, Cuts], costs: Costs) -> bool:
    """Whether tensor ranks may have parts of sequences between their maps: nothing mixes positions
    but attentions whose heads are cut."""
    heads = all(
        Value(part.place.node.id) in graphs[part.place.graph.name].cut
        for part in parts
        if part.row.attends
    )
    return heads and all(mixer.kind == "attention" for mixer in mixers(costs.program))


def _tensor(costs: Costs, degrees: Degrees) -> Iterator[Diagnostic]:
    """Heads and hidden units."""
    if degrees.tp == 1:
        return
    seen: set[tuple[int, str, Span]] = set()
    for graph in costs.program.graphs.values():
        for region in cuts(graph, costs.key).regions:
            for axis in region.axes:
                size = constant(costs.key.fix(axis.size))
                node = graph[axis.node]
                what = _units(axis, node, costs.key)
                if size is None or size % degrees.tp == 0 or (size, what, node.span) in seen:
                    continue
                seen.add((size, what, node.span))
                yield _indivisible(degrees, "tp", size, what, node.span)


def _units(axis: Axis, node: Node, key: Letters) -> str:
    if not axis.heads:
        return "hidden units"
    roles = [known.role for known in key.key.values() if str(axis.size) == known.name]
    return "key/value heads" if roles == ["kv_heads"] else "query heads"


def _stages(costs: Costs, degrees: Degrees) -> Iterator[Diagnostic]:
    if degrees.pieces == 1:
        return
    found = stacks(costs.program)
    spans = [node.span for node in costs.program.main if isinstance(node.what, Repeat)]
    if degrees.pp == 1:
        message = "`interleave` gives each stage several pieces, and there is one stage"
        yield _problem("AR0957", message, degrees, "interleave", "no pipeline", "give `pp` too")
    elif len(found) != 1:
        message = f"stages share the layers of one stack, and this model has {len(found) or 'none'}"
        others = tuple(Label(span, "a stack") for span in spans)
        yield _problem("AR0956", message, degrees, "pp", "nothing to share out", "", others)
    elif (layers := sum(found.values())) < degrees.pieces:
        name = "pp" if degrees.interleave == 1 else "interleave"
        message = f"{degrees.pieces} {_PARTS[name]} cannot share {layers} layers"
        text, label = f"more than {layers}", Label(spans[0], f"{layers} layers")
        yield _problem("AR0955", message, degrees, name, text, "", (label,))
    elif degrees.interleave > 1 and degrees.microbatches % degrees.pp:
        message = "stages that have several pieces take microbatches in rounds of `pp`"
        text = f"{degrees.microbatches} are no rounds of {degrees.pp}"
        yield _problem("AR0957", message, degrees, "microbatches", text)


def _experts(costs: Costs, degrees: Degrees) -> Iterator[Diagnostic]:
    places = [p for p in costs.program.places() if isinstance(p.node.what, GroupedLinear)]
    if places and degrees.tp > 1 and not degrees.sp:
        message = "tensor ranks share out experts by the parts of a sequence that they have"
        yield _problem("AR0957", message, degrees, "sp", "none has a part", "drop `sp=0`")
    if degrees.ep == 1:
        return
    if not places:
        yield _problem("AR0956", "this model has no experts", degrees, "ep", "nothing to share out")
    for size, span in dict.fromkeys((_count(p.node, costs.key), p.node.span) for p in places):
        if size % degrees.ep:
            yield _indivisible(degrees, "ep", size, "experts", span)
    inside = degrees.ranks // degrees.pp
    if inside % degrees.ep:
        message = "the ranks of a stage share out the experts, so `ep` must divide their number"
        text = f"{degrees.ep} does not divide tp·cp·dp = {inside}"
        yield _problem("AR0957", message, degrees, "ep", text)


def _count(node: Node, key: Letters) -> int:
    assert isinstance(node.what, GroupedLinear)
    return constant(key.fix(node.what.E)) or 1


def _sequence(costs: Costs, at: Mapping[str, int], degrees: Degrees) -> Iterator[Diagnostic]:
    if degrees.cp == 1:
        return
    found = mixers(costs.program)
    others = [mixer for mixer in found if mixer.kind != "attention"]
    if not found:
        message = "this model mixes no positions of a sequence"
        yield _problem("AR0956", message, degrees, "cp", "nothing to share out")
    positions = at.get(costs.target)
    if positions is not None and degrees.cp > positions:
        message = f"{degrees.cp} ranks cannot share {positions} positions"
        yield _problem("AR0955", message, degrees, "cp", f"more than {positions}")
    if others:
        spans = {row.path: row.span for row in costs.rows}
        under = (span for path, span in spans.items() if path.startswith(others[0].path))
        message = f"only attention is shared out along a sequence, not a {others[0].kind}"
        label = Label(next(under), f"a {others[0].kind}")
        yield _problem("AR0956", message, degrees, "cp", "cannot be done", "", (label,))


def _indivisible(degrees: Degrees, name: str, size: int, what: str, span: Span) -> Diagnostic:
    by = getattr(degrees, name)
    message = f"{by} {_PARTS[name]} cannot share {size} {what} evenly"
    fitting = [n for n in range(2, min(size, 1024) + 1) if size % n == 0]
    help_ = f"numbers that divide {size} are {_some(fitting)}" if fitting else ""
    label = Label(span, f"{size} {what}")
    return _problem(
        "AR0955", message, degrees, name, f"{by} does not divide {size}", help_, (label,)
    )


_PARTS: Final = {"tp": "ranks", "ep": "ranks", "pp": "stages", "interleave": "pieces"}


def _some(numbers: Sequence[int]) -> str:
    shown = [str(number) for number in numbers[:8]]
    if len(numbers) > 8:
        return f"{', '.join(shown)} …"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _problem(
    code: str,
    message: str,
    degrees: Degrees,
    name: str,
    text: str,
    help_: str = "",
    others: tuple[Label, ...] = (),
) -> Diagnostic:
    """A finding that points at a degree in the option as it is printed."""
    line = str(degrees)
    said = f"{name}={getattr(degrees, name)}"
    start = line.find(said) + 1 or 1
    place = Span(ASKED, 1, start, 1, start + len(said))
    return Diagnostic(code, message, Label(place, text, line), others, help_)
