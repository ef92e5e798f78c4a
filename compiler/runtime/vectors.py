"""What an encoder gives for each row: a vector."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from archspec.source.frozen import Frozen
from compiler.replacing import replace_file
from compiler.runtime.outputs import named

if TYPE_CHECKING:
    from compiler.runtime.kept import Array


class Vectors(Frozen):
    """A vector for each row [B, D], the output `name`; `said` is what the rows are of."""

    name: str
    vectors: "Array"
    said: tuple[str, ...]

    def text(self) -> str:
        """A JSON object a line: what was given, where that is words or a file, and its vector."""
        return "\n".join(
            json.dumps(row, ensure_ascii=False, sort_keys=True) for row in self.document()["rows"]
        )

    def document(self) -> dict[str, Any]:
        """All numbers of each vector; null for one that is not finite."""
        rows = [{self.name: _numbers(each)} for each in self.vectors]
        return {"rows": named(rows, self.said), "output": self.name}

    def save(self, path: Path) -> None:
        """Write an .npy file [B, D]; raises `CannotAnswer` where that cannot be done."""
        import numpy as np

        replace_file(path, lambda file: np.save(file, self.vectors, allow_pickle=False))


def _numbers(vector: "Array") -> list[float | None]:
    """As the fewest digits that give them back; null for what is not finite."""
    found = (float(str(each)) for each in vector)
    return [each if math.isfinite(each) else None for each in found]
