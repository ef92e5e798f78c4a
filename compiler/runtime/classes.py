"""What a model with a head of classes gives for each row: the likeliest."""

from typing import TYPE_CHECKING, Any

from archspec.source.frozen import Frozen
from compiler.runtime.outputs import named

if TYPE_CHECKING:
    from compiler.runtime.kept import Array


class Classes(Frozen):
    """Scores of each class for each row [B, K]; `labels` names the classes where that is known."""

    scores: "Array"
    labels: tuple[str, ...]
    top: int
    said: tuple[str, ...]

    def text(self) -> str:
        """For each row its likeliest classes: how likely, the number, the label."""
        rows = self.document()["rows"]
        lines = []
        for row in rows:
            lines += [row["given"]] if len(rows) > 1 and "given" in row else []
            lines += [
                f"{found['chance']:.4f}  {found['class']:>4}  {found.get('label', '')}".rstrip()
                for found in row["classes"]
            ]
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """The likeliest classes of each row, with their shares of softmax(scores)."""
        rows = [{"classes": self._likeliest(each)} for each in self.scores]
        return {"rows": named(rows, self.said)}

    def _likeliest(self, scores: "Array") -> list[dict[str, Any]]:
        import numpy as np

        weights = np.exp(scores.astype(np.float64) - scores.max())
        chances = weights / weights.sum()
        labelled = len(self.labels) == len(scores)
        return [
            {
                "class": int(number),
                "chance": float(chances[number]),
                **({"label": self.labels[number]} if labelled else {}),
            }
            for number in np.argsort(-scores, kind="stable")[: self.top]
        ]
