"""What kind every layer is of: listed, or by a rule."""

from typing import Any

import pytest

from compiler.importers.config.layers import FULL, SLIDING, layer_types, turning, used_window
from tests.importers.config.reading import codes, reading

LAYERS: dict[str, Any] = {"num_hidden_layers": 4, "no_rope_layer_interval": 2}


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({}, [True, False, True, False]),
        ({"no_rope_layers": []}, [True, False, True, False]),
        ({"no_rope_layers": [0, 1, 1, 0]}, [False, True, True, False]),
        ({"no_rope_layers": [0, 1, 1, 0, 1]}, [False, True, True, False]),
    ],
)
def test_layers_that_turn_are_listed_as_one(said: dict[str, Any], wanted: list[bool]) -> None:
    config, report = reading({**LAYERS, **said})
    assert turning(config) == wanted
    assert codes(report) == []


@pytest.mark.parametrize("wrong", [[1, 0, 1], [1, 0, 1, 2], "1010", [["x"]] * 4])
def test_what_does_not_say_which_turn_is_refused(wrong: Any) -> None:
    config, report = reading({**LAYERS, "no_rope_layers": wrong})
    turning(config)
    assert codes(report) == ["AR0723"]


def test_listed_types_go_before_the_rule() -> None:
    listed = [FULL, SLIDING, SLIDING, FULL]
    config, report = reading({**LAYERS, "layer_types": listed})
    assert layer_types(config, lambda _: False) == listed
    config, report = reading(LAYERS)
    assert layer_types(config, lambda index: index == 3) == [FULL, FULL, FULL, SLIDING]
    assert codes(report) == []


@pytest.mark.parametrize("wrong", [3, [FULL], [FULL] * 3 + ["x"], [FULL] * 3 + [[]]])
def test_what_lists_no_type_for_each_layer_is_refused(wrong: Any) -> None:
    config, report = reading({**LAYERS, "layer_types": wrong})
    layer_types(config, lambda _: False)
    assert codes(report) == ["AR0723"]


def test_more_layers_than_a_stack_may_have_are_refused() -> None:
    config, report = reading({"num_hidden_layers": 2**39})
    assert config.whole("num_hidden_layers") == 1
    assert codes(report) == ["AR0723"]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({"sliding_window": 4}, None),
        ({"use_sliding_window": False, "sliding_window": 4}, None),
        ({"use_sliding_window": False, "sliding_window": 0}, None),
        ({"use_sliding_window": True, "sliding_window": 4}, 4),
        ({"use_sliding_window": True, "sliding_window": None}, None),
    ],
)
def test_a_window_that_is_off_is_none(said: dict[str, Any], wanted: int | None) -> None:
    config, report = reading(said)
    assert used_window(config) == wanted
    assert list(config.unread()) == []
    assert codes(report) == []
