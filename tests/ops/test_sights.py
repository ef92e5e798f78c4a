"""Operators of masks and of given places: the torch text against the definition."""

import copy

import pytest
import torch

from compiler import ops
from tests.backends.torch.live import apart
from tests.ops.case import (
    IDS,
    KEY,
    POS,
    SEQUENCE,
    B,
    Case,
    D,
    H,
    K,
    R,
    S,
    T,
    W,
    bools,
    floats,
    ints,
    so_far,
)

REAL, MARKS, ALLOWED = bools(B, S), ints(B, S), bools(B, T, S)
SEEN = dict.fromkeys(("real", "segments", "place", "edge"), so_far)
WIDE = KEY.fixed("width", 16)

CASES = {
    "window": Case(ops.SeenMask(T, causal=True, window=2), (SEQUENCE, *[None] * 6)),
    "window of a cache": Case(
        ops.SeenMask(S, causal=True, window=3), (SEQUENCE, POS, *[None] * 5)
    ),
    "prefix": Case(
        ops.PrefixMask(T, causal=True), (SEQUENCE, *[None] * 6, ints(B))
    ),
    "prefix of a window": Case(
        ops.PrefixMask(T, window=1, chunk=3), (SEQUENCE, None, bools(B, T), *[None] * 4, ints(B))
    ),
    "radius": Case(ops.SeenMask(T, window=1), (SEQUENCE, *[None] * 6)),
    "pieces": Case(ops.SeenMask(T, chunk=2), (SEQUENCE, *[None] * 6)),
    "causal pieces of a cache": Case(
        ops.SeenMask(S, causal=True, chunk=3), (SEQUENCE, POS, *[None] * 5)
    ),
    "documents": Case(
        ops.SeenMask(S, causal=True), (SEQUENCE, POS, None, MARKS, None, None, None), SEEN
    ),
    "documents of two sequences": Case(
        ops.SeenMask(S), (SEQUENCE, None, None, MARKS, IDS, None, None)
    ),
    "a given mask": Case(ops.SeenMask(S), (SEQUENCE, None, None, None, None, None, ALLOWED)),
    "a given mask and padding": Case(
        ops.SeenMask(S), (SEQUENCE, None, REAL, None, None, None, ALLOWED)
    ),
    "all of it": Case(
        ops.SeenMask(S, causal=True, window=4, chunk=2),
        (SEQUENCE, POS, REAL, MARKS, None, MARKS, ALLOWED),
        SEEN,
    ),
    "restart": Case(ops.Restart(), (MARKS,)),
    "newest real": Case(ops.NewestReal(), (bools(B, S), IDS, POS), {"marks": so_far}),
    "newest": Case(ops.Newest(), (MARKS, IDS, POS), {"marks": so_far}),
    "rows of places": Case(ops.PlacedPositions(R, D), (IDS,)),
    "rows of places after an offset": Case(ops.PlacedPositions(R, D, offset=2), (IDS,)),
    "waves of places": Case(ops.PlacedSinusoid(D), (SEQUENCE, IDS)),
    "waves of places in halves": Case(
        ops.PlacedSinusoid(W, 100.0, "halves", shortened=True), (SEQUENCE, IDS)
    ),
    "angles of places": Case(ops.PlacedAngles(K), (IDS,)),
    "angles of places, adjacent": Case(ops.PlacedAngles(W, 100.0, "adjacent"), (IDS,)),
    "beside": Case(ops.ConcatRows(WIDE), (SEQUENCE, floats(T, 4))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_text_and_definition_agree(name: str) -> None:
    live = CASES[name].live()
    for seed, lengths in enumerate(({}, {"T": 3, "B": 1}, {"T": 4, "S": 9})):
        given = CASES[name].given(seed, **lengths)
        (found,), (expected,) = live.found(given), live.expected(copy.deepcopy(given))
        assert apart(found.double(), expected.double()) <= 1e-6


def test_a_turn_by_the_angles_of_each_row_is_a_turn_by_its_own() -> None:
    """Rows with places of their own against each row alone with places from zero."""
    placed = Case(ops.Rotate(placed=True), (floats(B, H, T, K), floats(B, 1, T, K)))
    alone = Case(ops.Rotate(), (floats(B, H, T, K), floats(T, K)))
    given = placed.given()
    half = given["angle"][..., : given["angle"].shape[-1] // 2]
    given["angle"] = torch.cat((half, half), dim=-1)
    (found,) = placed.live().found(given)
    for row, (x, angle) in enumerate(zip(given["x"], given["angle"], strict=True)):
        (wanted,) = alone.live().found({"x": x[None], "angle": angle[0]})
        assert apart(found[row : row + 1], wanted) == 0


def test_columns_that_do_not_add_up_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="columns"):
        ops.ConcatRows(WIDE).infer((SEQUENCE, floats(T, 5)), KEY)
