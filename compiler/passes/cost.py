"""What a program costs: a row of formulas for every operator of the folded graph."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, fields
from functools import cached_property, partial

from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.ir.cost import NOTHING, Cost
from compiler.ir.letters import Letter, Letters
from compiler.ir.operator import Operator, Parameter, Use
from compiler.ir.program import Place, Program, any_layer, first_layer
from compiler.ir.size import Poly, as_poly, total
from compiler.ir.traffic import NAMES, Traffic
from compiler.passes.gradients import Flow, gradients
from compiler.passes.held import Held, Rounded, Tables, borrowed
from compiler.passes.memory import Memory
from compiler.passes.over_source import over_source
from compiler.passes.source_keys import made_once
from compiler.passes.window_cap import capped


class Row(Frozen):
    """One operator of the folded program with all that its uses cost together.

    Attributes:
        path: dotted, with the layers that it stands for (`h.0..12.attn.qkv`).
        operator: the name of the operator's class.
        span: where the spec asks for it.
        uses: how often one forward runs it, all steps of a scan as one.
        runs: the same, every step counted.
        parameters: elements of weights that it owns; a borrowed table is counted where it is owned.
        active: those of them that one position makes use of: all but the experts it is not sent to.
        needed: elements of the state of one use that no window puts out of reach.
        frozen: elements beside them that a checkpoint holds and no gradient reaches.
        embedding: whether the weights are a table that ids or places pick rows of.
        norm: whether it brings vectors to one length or spread.
        reads: what all uses read of the weights that it owns, where these come to so much.
        rounded: its weights where a build rounds them; None where that is not known.
        each: what one use costs, all steps of a scan together.
        cost: what all uses cost.
        traffic: what all uses read and write.
        once: whether decoding runs it once for a source and not for every token.
        backward: FLOPs of the matrix products that gradients take, all uses, attention unfused.
        backward_fused: the same with fused attention, which makes its scores once more.
    """

    path: str
    operator: str
    span: Span
    uses: Poly
    runs: Poly
    parameters: Poly
    active: Poly
    embedding: bool
    each: Cost
    cost: Cost
    traffic: Traffic
    reads: Callable[[Poly], Poly] = field(compare=False, repr=False)
    once: bool = False
    backward: Poly = NOTHING
    backward_fused: Poly = NOTHING
    frozen: Poly = NOTHING
    needed: Poly = NOTHING
    norm: bool = False
    rounded: Rounded | None = field(default=None, compare=False, repr=False)

    @property
    def layered(self) -> bool:
        """Whether it stands in a layer of a stack."""
        return any(part.isdigit() for part in self.path.split("."))

    @property
    def attends(self) -> bool:
        """Whether it is an attention: something that pairs positions."""
        return any(as_poly(size).terms for size in (self.each.scores, self.each.mix))


class Costs(Frozen):
    """The rows of a program in the order of execution, the key of the letters in them, and the
    program."""

    rows: tuple[Row, ...]
    key: Letters
    program: Program = field(compare=False, repr=False)
    memory: Memory | None = field(default=None, compare=False, repr=False)
    """What its tensors come to, where its module can be written."""

    @property
    def batch(self) -> str:
        """The letter of the batch; empty where there is none."""
        return self._letter("batch")

    @property
    def target(self) -> str:
        """The letter of the positions that one forward computes; empty where they are fixed."""
        return self._letter("target")

    @property
    def seen(self) -> str:
        """The letter of all positions a decoder has seen, new ones too; empty without a cache."""
        return self._letter("seen")

    def total(self, name: str) -> Poly:
        """The sum of one figure of `Cost` over all rows."""
        return total(row.cost.total(name) for row in self.rows)

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that some figure depends on."""
        figures = [row.each.total(f.name) for row in self.rows for f in fields(Cost)]
        others = [size for row in self.rows for size in (row.parameters, row.uses)]
        return frozenset(name for size in (*figures, *others) for name in size.letters)

    @cached_property
    def source_keys(self) -> Poly:
        """Elements of the keys and values that all cross-attentions of a decoder make of a source:
        the same at every step."""
        key = self.program.key
        return total(
            place.graph.type(each).count.at(key.formulas) * key.layers(place.uses)
            for place in over_source(self.program)
            for each in place.node.inputs[1:3]
            if each is not None
        )

    @cached_property
    def keeps_source(self) -> bool:
        """Whether the generated decoder is given them and makes none."""
        return bool(made_once(self.program))

    @cached_property
    def free(self) -> tuple[Letter, ...]:
        """The lengths that are only known when the model runs and that some figure depends on."""
        moved = [row.traffic.total(name) for row in self.rows for name in NAMES]
        met = self.letters.union(*(size.letters for size in moved))
        return tuple(one for one in self.key.key.values() if one.size is None and one.name in met)

    def _letter(self, role: str) -> str:
        return next((known.name for known in self.free if known.role == role), "")


def cost(program: Program, memory: Memory | None = None, held: Held | None = None) -> Costs:
    """Ask every operator for its cost, once, however often it runs.

    Works on a program as it was lowered or after fusion: what a pass joins costs the same together.
    """
    return Costs(tuple(_rows(program, held)), program.key, program, memory)


def _rows(program: Program, held: Held | None) -> Iterator[Row]:
    once, formulas, flows = _once(program), program.key.formulas, gradients(program)
    tables = borrowed(program)
    for place in program.places():
        operator = place.node.what
        assert isinstance(operator, Operator)
        inputs = place.graph.types(place.node.inputs)
        use = operator.use(inputs, place.node.types, program.key)
        named = operator.parameters(inputs, program.key)
        owned = named.values()
        each, moved = operator.cost(use), operator.traffic(use, total(p.count for p in owned))
        if place.steps != as_poly(1):
            each, moved = each.times(place.steps), moved.times(place.steps)
        if formulas:
            each, moved = each.at(formulas), moved.at(formulas)
        uses, copies = (program.key.layers(count) for count in (place.uses, place.copies))
        parameters = total(p.count for p in owned if p.trained) * copies
        backward = _backward(operator, use, flows[place.path], fused=False)
        fused = backward
        if as_poly(each.scores).terms:
            fused = _backward(operator, use, flows[place.path], fused=True)
        yield Row(
            path=place.path,
            operator=type(operator).__name__,
            span=place.node.span,
            uses=uses,
            runs=(uses * place.steps).at(formulas),
            parameters=parameters,
            active=operator.active(parameters),
            embedding=operator.looked_up,
            norm=operator.normalizes,
            each=each,
            cost=each.times(uses),
            traffic=moved.times(uses),
            once=bool({place.path.partition(".")[0], any_layer(place.path)} & once),
            backward=backward.at(formulas),
            backward_fused=fused.at(formulas),
            frozen=total(p.count for p in owned if not p.trained) * copies,
            needed=capped(place, each.total("state"), program.key),
            reads=partial(_reads, operator, use, uses * place.steps, formulas),
            rounded=None if held is None else _rounded(held, tables, place, named, copies),
        )


def _reads(
    operator: Operator, use: Use, runs: Poly, formulas: Mapping[str, Poly], own: Poly
) -> Poly:
    found = operator.traffic(use, own)
    return ((found.total("weights") - found.total("table")) * runs).at(formulas)


def _rounded(
    held: Held, tables: Tables, place: Place, owned: Mapping[str, Parameter], copies: Poly
) -> Rounded:
    path, graph = first_layer(place.path), place.graph.name
    names = {f"{path}.{name}": parameter.count for name, parameter in owned.items()}
    given = (tables.get((graph, found.node), "") for found in place.node.inputs if found)
    return Rounded(held, names, copies, next(filter(None, (*given, *names)), ""))


def _backward(operator: Operator, use: Use, flows: Iterable[Flow], *, fused: bool) -> Poly:
    return total(flow.count * operator.backward(use, flow.moved, fused=fused) for flow in flows)


def _once(program: Program) -> set[str]:
    """The nodes of the root that do not depend on the input that a decoder grows, and the paths of
    those in its layers that make keys and values of a source."""
    grown, graph = program.grown, program.main
    if not grown:
        return set()
    below = graph.below(grown)
    alone = {node.under or node.id for node in graph if node.id not in below}
    return alone | made_once(program)
