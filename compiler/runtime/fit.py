"""Whether rows fit a model: places that it has, and ids that its tables know."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from compiler.answer import CannotAnswer
from compiler.runtime.published import Published

if TYPE_CHECKING:
    from compiler.runtime.kept import Array
    from compiler.runtime.rows import Rows

NO_NUMBERS: Final = "USMmOV"
"""Kinds of numpy's types: text, bytes, dates, spans of time, objects, records."""


def check_fit(given: "Mapping[str, Rows]", published: Published) -> None:
    """Look at every row of each input; raises `CannotAnswer` for the first that does not fit.

    ONNX Runtime would say which node fell over it, and some of its kernels would read beyond.
    """
    for name, rows in given.items():
        if not getattr(rows, "ndim", 1):
            raise CannotAnswer(f"`{name}` is one number", "give rows, one behind the other")
        for row in rows:
            if row.dtype.kind in NO_NUMBERS:
                raise CannotAnswer(
                    f"`{name}` holds no numbers but {row.dtype}", "give ids or arrays"
                )
        for number, row in enumerate(rows, 1):
            which = f"row {number} of `{name}`" if len(rows) > 1 else f"`{name}`"
            _check_length(which, row, published.longest.get(name))
            check_ids(which, row, published.vocabularies.get(name))


def _check_length(which: str, row: "Array", most: int | None) -> None:
    if most is not None and row.ndim and len(row) > most:
        kind = "ids" if row.dtype.kind in "iu" else "places"
        raise CannotAnswer(
            f"{which} has {len(row)} {kind} and the model reads at most {most}",
            "give fewer; nothing is cut off unasked",
        )


def check_ids(which: str, row: "Array", ids: int | None) -> None:
    """Raises `CannotAnswer` where one of some ids is none of so many; None knows not how many."""
    if ids is None or not row.size or row.dtype.kind not in "iu":
        return
    for found in (int(row.min()), int(row.max())):
        if not 0 <= found < ids:
            raise CannotAnswer(
                f"{which} has the id {found}, and ids go from 0 to {ids - 1}",
                "a tokenizer may be another model's",
            )
