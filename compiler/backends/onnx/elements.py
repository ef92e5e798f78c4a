"""Which element type every value of a listing has, by the schemas of its operators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from archspec.source.frozen import Frozen
from compiler.backends.onnx.kernels import Schema, Table
from compiler.backends.onnx.listing import ELEMENTS, Block, Element, Listing, Step
from compiler.backends.onnx.past import PREFIX


class Typed(Frozen):
    """A node with the element types of its schema's types; `times` is how many there are of it."""

    step: Step
    since: int
    types: Mapping[str, str]
    times: int = 1


class UnknownOperatorError(KeyError):
    """A node of an operator that the operator set does not have."""


@dataclass
class Typing:
    """Follows element types through a listing; what is float32 in it counts as `number`."""

    table: Table
    opset: int
    number: str
    found: dict[str, str]
    """The element types of the values that are there."""

    @classmethod
    def of(cls, listing: Listing, table: Table, opset: int, number: str) -> "Typing":
        """The types of what a listing begins with."""
        found = {
            **{name: _word(each.element, number) for name, each in listing.constants.items()},
            **{name: _word(each.element, number) for name, each in listing.weights.items()},
            **{
                name: _word(ELEMENTS[each.element], number)
                for name, each in listing.taken().items()
            },
        }
        return cls(table, opset, number, found)

    def steps(self, steps: Sequence[Step | Block], times: int = 1) -> Iterator[Typed]:
        """Every step in order, those in blocks once; raises UnknownOperatorError.

        Where inputs that must be of one type are of several, these stand side by side as `a or b`.
        """
        for step in steps:
            if isinstance(step, Step):
                yield from self._step(step, times)
                continue
            self.found[step.name] = self.found[step.start]
            for body in step.bodies:
                yield from self.steps(body.steps, times * step.times)

    def _step(self, step: Step, times: int) -> Iterator[Typed]:
        schema = self.table.schema(step.operator, self.opset)
        if schema is None:
            raise UnknownOperatorError(step.operator)
        bound = self._bound(schema, step)
        made: list[str] = []
        for inner in step.graphs.values():
            for inputs in (inner.inputs, inner.outputs):
                types = {name: ELEMENTS[each.element] for name, each in inputs.items()}
                self.found.update({n: _word(each, self.number) for n, each in types.items()})
            yield from self.steps(inner.steps, times)
            made = [self.found[each] for each in inner.outputs]
        if not step.graphs:
            ports = zip(_ports(schema.outputs), step.outputs, strict=False)
            made = [self._made(step, said, bound) for said, _ in ports]
        for said, kind in zip(_ports(schema.outputs), made, strict=False):
            bound.setdefault(said, kind)
        self.found.update(zip(step.outputs, made, strict=True))
        yield Typed(step, schema.since, bound, times)

    def _bound(self, schema: Schema, step: Step) -> dict[str, str]:
        """The element types of the schema's types, by the inputs that are there."""
        bound: dict[str, str] = {}
        several = {said.rstrip("*") for said in schema.inputs if said.endswith("**")}
        for said, value in zip(_ports(schema.inputs), step.inputs, strict=False):
            if not value or said.startswith("="):
                continue
            # A folded listing keeps `.0..12`, of which a node may read the first alone.
            kind = self.number if value.startswith(PREFIX) else self.found[value]
            other = bound.setdefault(said, kind)
            if kind != other and said not in several:
                bound[said] = f"{other} or {kind}"
        return bound

    def _made(self, step: Step, said: str, bound: Mapping[str, str]) -> str:
        """The element type of an output: the only one, that of an input, or what the node says."""
        if said.startswith("="):
            return said[1:]
        if said in bound:
            return bound[said].partition(" or ")[0]
        to = step.attributes.get("to")
        return _word(Element(to), self.number) if isinstance(to, int) else self.number


def _ports(said: Sequence[str]) -> Iterator[str]:
    """The names of types port by port, the last of them over and over where there may be more."""
    plain = [each.rstrip("?*") for each in said]
    more = plain[-1:] if said and said[-1].endswith("*") else ()
    return chain(plain, *(repeat(each) for each in more))


def _word(element: Element, number: str) -> str:
    return number if element is Element.float32 else element.name
