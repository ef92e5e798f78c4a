"""Attention weights as data: one map for every place, with what its rows and columns are called."""

from typing import TYPE_CHECKING, Any, Final

from archspec.source.frozen import Frozen

if TYPE_CHECKING:
    import numpy.typing as npt

WORDS: Final = (
    "Each row is a query and each column a source; a row adds up to one, or to zero where there is "
    "nothing to see. The weights show where the mixture went, not what the model relied on: values "
    "differ in size, layers add up, and other weights can give the same output."
)


class AttentionMap(Frozen):
    """The weights of one place: `weights` [heads, queries, sources], with the number of each head
    that is shown, a label for each row and column, and what the rows and the columns are."""

    place: str
    weights: "npt.NDArray[Any]"
    heads: tuple[int, ...]
    queries: tuple[str, ...]
    sources: tuple[str, ...]
    rows: str = "queries"
    columns: str = "sources"


class Patches(Frozen):
    """The image [channels, rows, columns] behind sources that are patches of it, and how they lie:
    `before` sources come first that are no patch."""

    image: "npt.NDArray[Any]"
    rows: int
    columns: int
    before: int

    @property
    def labels(self) -> tuple[str, ...]:
        """What comes before, then each patch by its row and column, from 0."""
        ahead = ["class"] if self.before == 1 else [f"extra {i}" for i in range(self.before)]
        grid = [f"{row},{column}" for row in range(self.rows) for column in range(self.columns)]
        return (*ahead, *grid)


class Attended(Frozen):
    """What a built model looked at in one input.

    `apart` is the largest difference between the outputs of `attend.py` and of `model.onnx`;
    `batch` is the number of inputs given, of which the first is shown.
    """

    name: str
    maps: tuple[AttentionMap, ...]
    apart: float
    batch: int = 1
    patches: Patches | None = None

    def document(self) -> dict[str, Any]:
        """Places, labels and weights, and how to read them."""
        maps = [
            {
                "place": each.place,
                "heads": list(each.heads),
                "queries": list(each.queries),
                "sources": list(each.sources),
                "rows": each.rows,
                "columns": each.columns,
                "weights": each.weights.tolist(),
            }
            for each in self.maps
        ]
        return {
            "name": self.name,
            "maps": maps,
            "outputs_apart": self.apart,
            "batch": self.batch,
            "meaning": WORDS,
        }
