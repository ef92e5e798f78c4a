"""An option whose text is a list of `name=value`, read item by item."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from archspec.source.diagnostic import SpecError
from archspec.source.frozen import Frozen
from archspec.source.suggest import did_you_mean
from compiler.report.device.problem import problem

Value = TypeVar("Value")


class Option(Frozen):
    """What is said of an option where its text makes no sense.

    Attributes:
        name: as it is written, `--assume`.
        code: of diagnostics about it.
        what: how things are whose names it takes: `assumed`.
        there: where these names are.
        example: a text that makes sense.
    """

    name: str
    code: str
    what: str
    there: str
    example: str

    def wrong(self, said: str, message: str, label: str) -> SpecError:
        """The error about its text `said`."""
        return problem(self.code, message, (self.name, said), label, f"as in `{self.example}`")


def named_values(
    option: Option, said: str, readers: Mapping[str, tuple[Callable[[str], Value | None], str]]
) -> dict[str, Value]:
    """The values in a text by their names.

    `readers` has for each name what reads its value, None where it is none, and what the name
    wants: `is a share above 0`. Raises SpecError for a name that is not among them or comes twice,
    and for a value that is none.
    """
    found: dict[str, Value] = {}
    for item in filter(None, (piece.strip() for piece in said.split(","))):
        name, _, text = (part.strip() for part in item.partition("="))
        if name not in readers:
            label = did_you_mean(name, readers) or option.there
            message = f"nothing that is {option.what} is called `{name}`"
            raise option.wrong(said, message, label)
        if name in found:
            raise option.wrong(said, f"`{name}` takes one value", "it is given twice")
        read, wanted = readers[name]
        value = read(text)
        if value is None:
            label = f"`{text}` is none" if text else "nothing is given"
            raise option.wrong(said, f"`{name}` {wanted}", label)
        found[name] = value
    return found
