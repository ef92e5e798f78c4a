"""A prefix that all see, against torch's own module with a mask for every row."""

from typing import Any

import pytest
import torch

import archspec
from compiler.lower.inputs import grown_input
from tests.backends.torch.live import Live, live
from tests.lower.attention.alone import torchs
from tests.lower.specs import over

COUNTS = torch.tensor([0, 2, 5])


def prefixed(**options: Any) -> Live:
    """An attention of four heads over padded features, with a prefix of `given` positions."""
    part = {"heads": 4, "bias": True, "prefix": "given", **options}
    x = {"features": {"shape": ["T", 16], "padded": True}}
    return live({**over(16, {"y": {"attention": part}}), "inputs": {"x": x, "given": "count"}})


WORDS: list[tuple[dict[str, Any], Any]] = [
    ({"mask": "causal"}, lambda t, s: s <= t),
    ({"mask": "causal", "window": 2}, lambda t, s: 0 <= t - s < 2),
    ({"window": 1}, lambda t, s: abs(t - s) <= 1),
    ({"chunk": 3}, lambda t, s: t // 3 == s // 3),
]


@pytest.mark.parametrize(("options", "near"), WORDS)
def test_a_prefix_is_seen_from_everywhere(options: dict[str, Any], near: Any) -> None:
    found = prefixed(**options)
    given = {**found.inputs(3, 6), "given": COUNTS}
    hidden = torch.ones(3, 6, 6, dtype=torch.bool)
    for b, t, s in torch.cartesian_prod(torch.arange(3), torch.arange(6), torch.arange(6)).tolist():
        shown = near(t, s) or s < COUNTS[b]
        hidden[b, t, s] = not (shown and bool(given["x_mask"][b, s]))
    x, each = given["x"], hidden.repeat_interleave(4, dim=0)
    expected, _ = torchs(found)(x, x, x, attn_mask=each, need_weights=False)
    kept = ~hidden.all(dim=2)
    assert torch.allclose(found.found(given)[0][kept], expected[kept])
    assert kept.sum() > 12


def test_a_prefix_wants_all_of_it_at_once() -> None:
    """A cache would hold keys of the prefix that had not seen its later positions."""
    graph: dict[str, Any] = {
        "tok": {"embed": {"vocab": 9, "dim": 8}, "in": "ids"},
        "y": {"attention": {"heads": 2, "mask": "causal", "prefix": "given"}},
    }
    spec = {"name": "m", "inputs": {"ids": "tokens", "given": "count"}, "graph": graph}
    assert grown_input(archspec.load(spec)) == ""
    del graph["y"]["attention"]["prefix"]
    assert grown_input(archspec.load(spec)) == "ids"
