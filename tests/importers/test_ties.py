import numpy as np
import pytest

from compiler.importers.fill import claims_of
from compiler.importers.ties import rifts
from tests.importers.samples import Array, counted, in_memory

TIES = {"logits.weight": "tok.weight"}


@pytest.mark.parametrize(
    ("head", "broken"),
    [
        (None, 0),
        (counted(5, 4), 0),
        (counted(5, 4).astype(np.float64), 0),
        (counted(5, 4) + 1, 1),
        (counted(4, 4), 1),
    ],
)
def test_a_tie_is_kept_where_the_numbers_are_equal(head: Array | None, broken: int) -> None:
    tensors = {"tok.weight": counted(5, 4)} | ({} if head is None else {"logits.weight": head})
    claims = claims_of({"tok.weight": (5, 4)}, in_memory(tensors), None, (), TIES, {})
    found = rifts(claims, TIES)
    assert [(rift.alias, rift.owner) for rift in found] == [
        ("logits.weight", "tok.weight")
    ] * broken
