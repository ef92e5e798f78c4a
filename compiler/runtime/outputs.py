"""What a model gives for its inputs, as text, as a document and as a file."""

import math
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from archspec.source.frozen import Frozen
from compiler.replacing import replace_file

if TYPE_CHECKING:
    from compiler.runtime.kept import Array


class Outputs(Frozen):
    """The outputs of one run by their names."""

    arrays: "Mapping[str, Array]"

    def text(self) -> str:
        """Every output with its shape and numbers, the middle of a long one left out."""
        return "\n".join(_text(name, array) for name, array in self.arrays.items())

    def document(self) -> dict[str, Any]:
        """Every output with its shape and all its numbers; null for one that is not finite."""
        return {
            "outputs": {
                name: {"shape": list(array.shape), "values": _finite(array.tolist())}
                for name, array in self.arrays.items()
            }
        }

    def save(self, path: Path) -> None:
        """Write an .npz file; raises `CannotAnswer` where that cannot be done."""
        import numpy as np

        def write(file: BinaryIO) -> None:
            with zipfile.ZipFile(file, "w") as archive:  # `savez` takes some names for its own
                for name, array in self.arrays.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)

        replace_file(path, write)


def named(rows: list[dict[str, Any]], said: Sequence[str]) -> list[dict[str, Any]]:
    """Rows with the words or the file that each was given for, where it was one thing."""
    if len(said) != len(rows):
        return rows
    return [{"given": each, **row} for each, row in zip(said, rows, strict=True)]


def _text(name: str, array: "Array") -> str:
    import numpy as np

    numbers = np.array2string(array, precision=4, threshold=64, edgeitems=3, max_line_width=100)
    return f"{name} {list(array.shape)} {array.dtype}\n{numbers}"


def _finite(values: Any) -> Any:
    if isinstance(values, list):
        return [_finite(each) for each in values]
    return None if isinstance(values, float) and not math.isfinite(values) else values
