from typing import Any

import pytest

from compiler.importers.config.rope import rope
from tests.importers.config.reading import codes, reading

BOTH_DIALECTS = [
    ({}, {}, {"theta": 10000.0}),
    (
        {"rope_theta": 5e5},
        {"rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}},
        {"theta": 5e5},
    ),
    (
        {"rotary_emb_base": 100, "rotary_pct": 0.25},
        {"rope_parameters": {"rope_theta": 100, "partial_rotary_factor": 0.25}},
        {"theta": 100, "fraction": 0.25},
    ),
    (
        {"rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 4.0}},
        {"rope_parameters": {"rope_theta": 1e4, "rope_type": "linear", "factor": 4.0}},
        {"theta": 1e4, "scaling": {"linear": {"factor": 4.0}}},
    ),
]


@pytest.mark.parametrize(("old", "new", "wanted"), BOTH_DIALECTS)
def test_both_dialects_say_the_same(
    old: dict[str, Any], new: dict[str, Any], wanted: dict[str, Any]
) -> None:
    for said in (old, new):
        config, report = reading(said, {"partial_rotary_factor": 1.0})
        assert rope(config) == wanted
        config.report_unread()
        assert codes(report) == []


def test_layers_of_each_type_have_their_own() -> None:
    config, report = reading(
        {
            "rope_parameters": {
                "full_attention": {"rope_theta": 1e6, "rope_type": "default"},
                "sliding_attention": {"rope_theta": 1e4, "rope_type": "default"},
            }
        }
    )
    assert rope(config, "full_attention") == {"theta": 1e6}
    assert rope(config, "sliding_attention") == {"theta": 1e4}
    config.report_unread()
    assert codes(report) == []


def test_the_base_of_the_class_counts_where_the_file_is_silent() -> None:
    config, _ = reading({}, {"rope_theta": 5e5, "partial_rotary_factor": 0.5})
    assert rope(config, pairs="adjacent") == {"theta": 5e5, "fraction": 0.5, "pairs": "adjacent"}


def test_a_number_of_coordinates_instead_of_a_share() -> None:
    config, _ = reading({})
    assert rope(config, dim=8) == {"theta": 10000.0, "dim": 8}


def test_nothing_turns() -> None:
    config, _ = reading({"rotary_pct": 0}, {"partial_rotary_factor": 0.25})
    assert rope(config) is None


@pytest.mark.parametrize("said", [{"rotary_pct": 0.5}, {"rope_parameters": {"rotary_pct": 0.5}}])
def test_a_share_is_refused_where_the_class_turns_whole_heads(said: dict[str, Any]) -> None:
    config, report = reading(said)
    rope(config)
    assert codes(report) == ["AR0723"]


@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
def test_an_unknown_scaling_is_refused_where_it_stands(key: str) -> None:
    config, report = reading({key: {"rope_type": "spiral", "factor": 2.0}})
    rope(config)
    config.report_unread()
    (found,) = report.diagnostics  # a setting of that kind is no finding of its own
    assert (found.code, found.primary.span.line) == ("AR0723", 3)
    assert "`yarn`" in found.help


def test_a_scaling_without_its_factor() -> None:
    config, report = reading({"rope_scaling": {"type": "linear"}})
    rope(config)
    assert codes(report) == ["AR0724"]
