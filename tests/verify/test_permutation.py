import pytest

from compiler.verify.module import build
from compiler.verify.permutation import order, permutation
from tests.verify.changed import mistaken
from tests.verify.models import Mapping, decoder, encoder, made, points


@pytest.mark.parametrize("spec", [points(), encoder()])
def test_the_order_of_a_set_does_not_matter(spec: Mapping) -> None:
    found = made(spec)
    check = permutation(found, build(found.generated))
    assert check.ok
    assert check.measured is not None


def test_order_that_matters_is_found() -> None:
    found = made(points())
    said, instead = "q_BHNK = q.view(B, N, H, K).transpose(1, 2)", "q_BHNK = q.reshape(B, H, N, K)"
    assert permutation(found, mistaken(found, said, instead)).ok is False


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (encoder(positions={"learned": 40}), "places"),
        (encoder(positions={"sinusoid": {"max": 40}}), "places"),
        (decoder(), "places"),
        (points("first"), "pool"),
        (points("last"), "pool"),
    ],
)
def test_where_order_may_matter(spec: Mapping, reason: str) -> None:
    found = made(spec)
    check = permutation(found, build(found.generated))
    assert check.ok is None
    assert reason in check.reason


LEARNED = encoder(positions={"learned": 40})


@pytest.mark.parametrize("spec", [decoder(), LEARNED, encoder(positions={"sinusoid": {"max": 40}})])
def test_positions_make_order_matter(spec: Mapping) -> None:
    found = made(spec)
    assert order(found, build(found.generated)).ok


def test_positions_that_are_not_added_are_found() -> None:
    found = made(LEARNED)
    said = "x_BTD + self.positions.weight[:T]"
    assert order(found, mistaken(found, said, "x_BTD")).ok is False


def test_without_positions_order_may_not_matter() -> None:
    found = made(points())
    assert order(found, build(found.generated)).ok is None


@pytest.mark.parametrize(
    "node",
    [{"conv": {"kernel": 3, "stride": 2}}, {"concat": {"axis": "position"}, "in": ["h", "points"]}],
    ids=str,
)
def test_positions_that_are_counted_anew_are_no_set(node: Mapping) -> None:
    spec = points()
    spec["graph"]["short"] = {"in": "h", **node}
    found = made(spec | {"outputs": ["short"]})
    assert permutation(found, build(found.generated)).ok is None
