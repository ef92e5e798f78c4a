"""The signature of an operator: its ports with their shapes, which is its shape rule."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from archspec.source.frozen import Frozen
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, Size, as_poly, letter, product
from compiler.ir.types import Element, TensorType

PORT = re.compile(
    r"(?P<name>[a-z_]+)(?P<optional>\?)?:(?:(?P<element>int|bool|float)\s*)?(?P<dims>\S*)$"
)
DIM = re.compile(r"\*|[A-Z]|\d|\([^()]*\)")


@dataclass(frozen=True)
class ShapeError(Exception):
    """Two sizes that must be equal and are not; `dim` is the signature's own letter."""

    dim: str
    port: str
    expected: str
    found: str

    def __str__(self) -> str:
        if self.dim == "*":
            return f"`{self.port}` is [{self.found}] here but [{self.expected}] there"
        return (
            f"dimension {self.dim} of `{self.port}` is {self.found} here but {self.expected} there"
        )


class RankError(ValueError):
    """A port gets another number of dimensions than it takes."""


class Port(Frozen):
    """One port: `name:*IO`. `*` is any number of leading dimensions, a letter is bound where it
    stands first, a digit is a literal size, `(H*K)` a product or sum of letters; `?` marks a port
    that may be empty."""

    name: str
    element: Element
    dims: tuple[str, ...]
    optional: bool = False


@dataclass(frozen=True)
class Binding:
    """What the letters of a signature stand for in one use of the operator."""

    letters: Mapping[str, Poly]
    leading: tuple[Size, ...]

    def shape(self, dims: Sequence[str]) -> tuple[Size, ...]:
        """The shape that a port's dimensions describe."""
        shape: list[Size] = []
        for dim in dims:
            if dim == "*":
                shape += self.leading
            else:
                shape.append(self.size(dim))
        return tuple(shape)

    def size(self, dim: str) -> Poly:
        """One dimension: a letter, a digit or an expression in parentheses."""
        if dim.isdigit():
            return as_poly(int(dim))
        if dim.startswith("("):
            return _sum(dim[1:-1], self.letters)
        return self.letters[dim]


class Signature(Frozen):
    """`x:*I; weight:OI, bias?:O -> y:*O`: inputs, then parameters, then outputs."""

    inputs: tuple[Port, ...]
    parameters: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """Read a signature; raises ValueError where it is not one."""
        left, arrow, right = text.partition("->")
        if not arrow:
            raise ValueError(f"a signature needs `->`: {text}")
        inputs, _, parameters = left.partition(";")
        return cls(*(tuple(_ports(part)) for part in (inputs, parameters, right)))

    def bind(
        self, inputs: Sequence[TensorType | None], given: Mapping[str, Size], key: Letters
    ) -> Binding:
        """Match input types against the ports; `given` are letters that the operator's fields fix.

        Raises ShapeError where two sizes differ, ValueError where a port is missing or of another
        element.
        """
        bound = {name: as_poly(size) for name, size in given.items()}
        leading: tuple[Size, ...] | None = None
        late: list[tuple[Port, str, Size]] = []
        for port, found in zip(self.inputs, inputs, strict=True):
            if found is None:
                if not port.optional:
                    raise ValueError(f"port `{port.name}` is empty")
                continue
            if found.element != port.element:
                raise ValueError(
                    f"port `{port.name}` takes {port.element} values, not {found.element}"
                )
            starred, paired = _pair(port, found)
            if starred is not None:
                leading = _agree(starred, leading, port, key)
            for dim, size in paired:
                if len(dim) == 1 and dim.isalpha() and dim not in bound:
                    bound[dim] = as_poly(size)
                else:
                    late.append((port, dim, size))
        binding = Binding(bound, leading or ())
        for port, dim, size in late:
            expected = binding.size(dim)
            if expected != size and key.fix(expected) != key.fix(size):
                raise ShapeError(dim, port.name, str(key.fix(expected)), str(key.fix(size)))
        return binding


def _pair(port: Port, found: TensorType) -> tuple[tuple[Size, ...] | None, list[tuple[str, Size]]]:
    fixed = len(port.dims) - ("*" in port.dims)
    if len(found.shape) < fixed or ("*" not in port.dims and len(found.shape) != fixed):
        raise RankError(f"port `{port.name}` takes {fixed} dimensions, not {len(found.shape)}")
    if "*" not in port.dims:
        return None, list(zip(port.dims, found.shape, strict=True))
    before = port.dims.index("*")
    after = len(port.dims) - before - 1
    end = len(found.shape) - after
    pairs = [*zip(port.dims[:before], found.shape[:before], strict=True)]
    pairs += zip(port.dims[before + 1 :], found.shape[end:], strict=True)
    return found.shape[before:end], pairs


def _agree(
    found: tuple[Size, ...], known: tuple[Size, ...] | None, port: Port, key: Letters
) -> tuple[Size, ...]:
    if known is None or found == known:
        return found
    if [key.fix(s) for s in found] != [key.fix(s) for s in known]:
        wanted, got = (" ".join(str(key.fix(s)) for s in shape) for shape in (known, found))
        raise ShapeError("*", port.name, wanted, got)
    return known


def _ports(text: str) -> Iterator[Port]:
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        found = PORT.match(part)
        if found is None:
            raise ValueError(f"not a port: {part}")
        dims = tuple(DIM.findall(found["dims"]))
        if "".join(dims) != found["dims"]:
            raise ValueError(f"not dimensions: {found['dims']}")
        element: Element = (
            "int"
            if found["element"] == "int"
            else "bool"
            if found["element"] == "bool"
            else "float"
        )
        yield Port(found["name"], element, dims, found["optional"] is not None)


def _sum(text: str, letters: Mapping[str, Poly]) -> Poly:
    terms = (product(_factor(f, letters) for f in term.split("*")) for term in text.split("+"))
    return sum(terms, as_poly(0))


def _factor(text: str, letters: Mapping[str, Poly]) -> Poly:
    name = text.strip()
    return as_poly(int(name)) if name.isdigit() else letters.get(name, letter(name))
