"""Context lengths: written, else a table's on the way, else 2048; never more than a table has."""

import pytest

from tests.archspec.reading import codes, spec

TABLE = "positions: {learned: 40}"


def text(tokens: str, embed: str = "", more: str = "") -> str:
    options = f", {embed}" if embed else ""
    return (
        f"name: m\ninputs: {{ids: {tokens}, x: {{features: [S, 8]}}}}\n"
        f"graph:\n  tok: {{embed: {{vocab: 9, dim: 8{options}}}, in: ids}}\n{more}"
    )


@pytest.mark.parametrize(
    ("tokens", "embed", "expected"),
    [
        ("tokens", "", 2048),
        ("tokens", TABLE, 40),
        ("tokens", "positions: {sinusoid: {max: 30}}", 30),
        ("{tokens: {max: 24}}", TABLE, 24),
        ("{tokens: {max: 99}}", "positions: {sinusoid: {max: 30}}", 99),
    ],
)
def test_an_input_is_as_long_as_its_table(tokens: str, embed: str, expected: int) -> None:
    assert spec(text(tokens, embed)).inputs["ids"].max == expected


def test_a_table_further_on_counts_too() -> None:
    more = "  y: {mlp: {hidden: 4, act: relu}, in: x}\n  z: {positions: {learned: 12}}\n"
    found = spec(text("tokens", TABLE, more)).inputs
    assert (found["ids"].max, found["x"].max) == (40, 12)


def test_a_table_of_another_path_does_not() -> None:
    more = "  z: {positions: {learned: 12}, in: x}\n"
    assert spec(text("tokens", "", more)).inputs["ids"].max == 2048


def test_more_than_the_table_has_is_an_error() -> None:
    assert codes(text("{tokens: {max: 41}}", TABLE)) == ["AR0305"]
    assert codes(text("{tokens: {max: 40}}", TABLE)) == []
