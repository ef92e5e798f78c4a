"""What the rows and columns of attention are called: tokens, ids, patches, else numbers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from compiler.report.attention_map import Patches
from compiler.runtime.roles import id_inputs
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from compiler.runtime.session import Array


class Axes(Protocol):
    """Weights [heads, queries, sources] and the letters of their last two axes."""

    @property
    def weights(self) -> "Array": ...
    @property
    def queries(self) -> str: ...
    @property
    def sources(self) -> str: ...


def named_axes(
    session: Session, given: "Mapping[str, Array]", tokenizer: "Tokenizer | None"
) -> dict[str, tuple[str, ...]]:
    """The labels of each length that an input of ids has, by its letter; the first of a batch."""
    found: dict[str, tuple[str, ...]] = {}
    for name in id_inputs(session):
        ids = [int(each) for each in given[name][0]]
        found.setdefault(
            str(session.inputs[name][1]), tuple(_token(each, tokenizer) for each in ids)
        )
    return found


def labelled(
    found: Axes, axes: Mapping[str, tuple[str, ...]], patches: Patches | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of rows and columns.

    An axis without a letter of its own, as the seen positions of a decoder, is named like the other
    one where they are as long.
    """
    _, rows, columns = found.weights.shape
    queries = _named(found.queries, rows, axes, patches)
    sources = _named(found.sources, columns, axes, patches)
    alike = rows == columns
    return (
        queries or (alike and sources) or _numbers(rows),
        sources or (alike and queries) or _numbers(columns),
    )


def _named(
    letter: str, length: int, axes: Mapping[str, tuple[str, ...]], patches: Patches | None
) -> tuple[str, ...]:
    known = axes.get(letter, ())
    if len(known) == length:
        return known
    return patches.labels if patches is not None and len(patches.labels) == length else ()


def _numbers(length: int) -> tuple[str, ...]:
    return tuple(map(str, range(length)))


def _token(number: int, tokenizer: "Tokenizer | None") -> str:
    token = None if tokenizer is None else tokenizer.id_to_token(number)
    return str(number) if token is None else token
