"""A table of operators and kernels of one version of ONNX Runtime."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from archspec.source.frozen import Frozen

FOLDER: Final = Path(__file__).parent


class Schema(Frozen):
    """An operator as one operator set has it; of an input or output the name of its type, `=` with
    the only type that it can have, then `?`, `*` or `**` as `registry` writes them."""

    since: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Kernel(Frozen):
    """A kernel: the versions of the operator that it serves, and the element types that it takes,
    by the names of types in the schema."""

    first: int
    last: int | None
    types: Mapping[str, Sequence[str]]

    def serves(self, since: int) -> bool:
        """Whether it runs an operator as it is since that operator set.

        One without an end serves the version that it began with alone: what came later may mean
        something else.
        """
        return self.first == since or (self.last is not None and self.first <= since <= self.last)

    def takes(self, bound: Mapping[str, str]) -> bool:
        """Whether it takes these element types; names that are not bound may be anything."""
        return all(bound.get(name, types[0]) in types for name, types in self.types.items())


class Table(Frozen):
    """What one version of the runtime can run; an operator of another domain is called
    `com.microsoft.MoE`."""

    runtime: str
    schemas: Mapping[str, Sequence[Schema]]
    kernels: Mapping[str, Mapping[str, Sequence[Kernel]]]

    def schema(self, name: str, opset: int) -> Schema | None:
        """The operator as an operator set has it; None where it has none of the name."""
        version = 1 if "." in name else opset
        found = [each for each in self.schemas.get(name, ()) if each.since <= version]
        return found[-1] if found else None

    def serving(self, provider: str, name: str, since: int) -> list[Kernel]:
        """The kernels of a provider, `cpu` or `cuda`, for an operator as it is since a set."""
        return [each for each in self.kernels[provider].get(name, ()) if each.serves(since)]


def kept_versions() -> list[str]:
    """The versions of the runtime with a table, oldest first."""
    return sorted((path.stem for path in FOLDER.glob("*.json")), key=_numbers)


@cache
def table(runtime: str | None = None) -> Table:
    """The table of a version, by default of the newest that has one."""
    path = FOLDER / f"{runtime or kept_versions()[-1]}.json"
    return parse(json.loads(path.read_text(encoding="utf-8")))


def parse(document: Mapping[str, Any]) -> Table:
    """A table from the document that `registry` makes."""
    return Table(
        document["runtime"],
        {
            name: tuple(Schema(s, tuple(i.split()), tuple(o.split())) for s, i, o in found)
            for name, found in document["schemas"].items()
        },
        {
            provider: {
                name: tuple(
                    Kernel(first, last, {key: said.split() for key, said in types.items()})
                    for first, last, types in found
                )
                for name, found in document[provider].items()
            }
            for provider in ("cpu", "cuda")
        },
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
