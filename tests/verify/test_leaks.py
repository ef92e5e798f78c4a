"""The law of masks: it holds for what is generated, and a mask that is a place too wide is
found."""

from collections.abc import Mapping
from typing import Any

import pytest
import torch

import archspec
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.leaks import leaks, visible
from compiler.verify.module import build
from tests.verify.changed import mistaken

PACKED = {"features": {"shape": ["T", 8], "segments": True}}
PADDED = {"features": {"shape": ["T", 8], "padded": True}}


def layers(options: Mapping[str, Any], given: Any = PACKED, **inputs: Any) -> Compiled:
    """Two layers of attention over vectors."""
    layer = {"attn": {"attention": {"heads": 2, **options}}}
    found = compiled(
        archspec.load(
            {
                "name": "layers",
                "inputs": {"x": given, **inputs},
                "graph": {"h": {"stack": {"repeat": 2, "layer": layer}, "in": "x"}},
            }
        )
    )
    assert isinstance(found, Compiled)
    return found


@pytest.mark.parametrize(
    ("options", "said", "instead"),
    [
        ({"mask": "causal", "window": 2, "segments": False}, "WINDOW = 2", "WINDOW = 3"),
        ({"mask": "causal", "segments": False}, "is_causal=True", "is_causal=False"),
        ({"window": 1, "segments": False}, "<= radius", "<= radius + 1"),
        ({"chunk": 3, "segments": False}, "CHUNK = 3", "CHUNK = 4"),
        ({}, "mark_BS[:, place_T, None] ==", "mark_BS[:, place_T, None] >="),
    ],
    ids=str,
)
def test_a_wider_mask_is_found(options: dict[str, Any], said: str, instead: str) -> None:
    made = layers(options)
    assert leaks(made, build(made.generated)).ok
    found = leaks(made, mistaken(made, said, instead))
    assert found.ok is False
    assert found.measured is not None
    assert found.measured > 1e-4


def test_padding_and_a_given_mask_count() -> None:
    made = layers({"mask": "allowed"}, PADDED, allowed={"mask": ["T", "T"]})
    assert leaks(made, build(made.generated)).ok
    for said in (" & allowed_BTT[:, None]", "x_mask_BT[:, None, None, :] & "):
        assert leaks(made, mistaken(made, said, "")).ok is False


def test_without_a_mask_nothing_is_asked() -> None:
    made = layers({}, {"features": ["T", 8]})
    assert leaks(made, build(made.generated)).ok is None


def test_what_is_visible_by_hand() -> None:
    """Documents of 3 and 2 places, a window of two, the last place padded."""
    made = layers({"mask": "causal", "window": 2})
    stack: Any = made.spec.graph["h"].component
    part = stack.variants[0].sublayers["attn"].mixers["attn"].component
    given = {
        "x_segments": torch.tensor([[0, 0, 0, 1, 1]]),
        "x_mask": torch.tensor([[True, True, True, True, False]]),
    }
    wanted = ["10000", "11000", "01100", "00010", "00010"]
    found = visible(part, "x", given, 1, 5)[0].int().tolist()
    assert ["".join(map(str, row)) for row in found] == wanted
