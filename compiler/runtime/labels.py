"""What the rows and columns of attention are called: tokens, ids, patches, else numbers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from archspec.source.frozen import Frozen
from compiler.report.attention_map import Patches
from compiler.runtime.roles import id_inputs
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from compiler.runtime.kept import Array


class Looked(Protocol):
    """Weights [heads, queries, sources] and the letters of their last two axes."""

    @property
    def weights(self) -> "Array": ...
    @property
    def queries(self) -> str: ...
    @property
    def sources(self) -> str: ...


class Axis(Frozen):
    """What an axis is, such as the input whose tokens lie along it, and a label for each place."""

    name: str
    labels: tuple[str, ...]


def named_axes(
    session: Session, given: "Mapping[str, Array]", tokenizer: "Tokenizer | None"
) -> dict[str, Axis]:
    """Each length that an input of ids has, by its letter; the first of a batch."""
    found: dict[str, Axis] = {}
    for name in id_inputs(session):
        ids = [int(each) for each in given[name][0]]
        labels = tuple(_token(each, tokenizer) for each in ids)
        found.setdefault(str(session.inputs[name][1]), Axis(name, labels))
    return found


def labelled(found: Looked, axes: Mapping[str, Axis], patches: Patches | None) -> tuple[Axis, Axis]:
    """Rows and columns.

    An axis without a letter of its own, as the seen positions of a decoder, is named like the other
    one where they are as long.
    """
    _, rows, columns = found.weights.shape
    queries = _named(found.queries, rows, axes, patches)
    sources = _named(found.sources, columns, axes, patches)
    alike = rows == columns
    return (
        queries or (sources if alike else None) or _numbered("queries", rows),
        sources or (queries if alike else None) or _numbered("sources", columns),
    )


def _named(
    letter: str, length: int, axes: Mapping[str, Axis], patches: Patches | None
) -> Axis | None:
    known = axes.get(letter)
    if known is not None and len(known.labels) == length:
        return known
    if patches is not None and len(patches.labels) == length:
        return Axis("patches, by row and column", patches.labels)
    return None


def _numbered(name: str, length: int) -> Axis:
    return Axis(f"{name}, by number", tuple(map(str, range(length))))


def _token(number: int, tokenizer: "Tokenizer | None") -> str:
    token = None if tokenizer is None else tokenizer.id_to_token(number)
    return str(number) if token is None else token
