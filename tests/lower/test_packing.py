"""Filters and recurrences over packed documents are refused; attention over them is not."""

from typing import Any

import pytest

import archspec
from compiler.ir.program import Program
from compiler.lower import lower


def packed(mixer: dict[str, Any], segments: bool) -> dict[str, Any]:
    return {
        "name": "packed",
        "inputs": {"ids": {"tokens": {"max": 32, "segments": segments}}},
        "graph": {
            "tok": {"embed": {"vocab": 10, "dim": 8}, "in": "ids"},
            "y": mixer,
        },
    }


@pytest.mark.parametrize(
    "mixer",
    [
        {"conv": {"kernel": 3, "dim": 8}},
        {"conv": {"kernel": 1, "stride": 2}},
        {"conv": {"kernel": 1, "pad": 1}},
        {"rnn": {"cell": "gru", "dim": 8}},
        {"pool": "mean"},
    ],
)
def test_what_knows_no_borders_is_refused(mixer: dict[str, Any]) -> None:
    found = lower(archspec.load(packed(mixer, segments=True)))
    assert not isinstance(found, Program)
    (one,) = found
    assert one.code == "AR0264"
    assert next(iter(mixer)) in one.message
    assert isinstance(lower(archspec.load(packed(mixer, segments=False))), Program)


def test_what_leaves_positions_as_they_are_may_stand_over_them() -> None:
    made = lower(archspec.load(packed({"conv": {"kernel": 1}}, segments=True)))
    assert isinstance(made, Program)


def test_attention_knows_them() -> None:
    made = lower(archspec.load(packed({"attention": {"heads": 2}}, segments=True)))
    assert isinstance(made, Program)
