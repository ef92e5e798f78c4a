"""Masks: brute force against the generated module, and gradients that are exactly zero."""

import pytest
import torch
from torch import Tensor

from tests.history.chapter import Page, composed, mask, multi_head, normal, of, page, reached

LENGTH = 13
X = normal(2, LENGTH, 64)
SEGMENTS = torch.tensor(
    [[0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2], [4, 4, 7, 7, 7, 7, 7, 7, 7, 7, 7, 3, 3]]
)
RULES = {
    "latest": lambda t, s: 0 <= t - s < 4,
    "around": lambda t, s: abs(t - s) <= 4,
    "pieces": lambda t, s: t // 5 == s // 5,
    "all_three": lambda t, s: 0 <= t - s < 4 and t // 5 == s // 5,
}  # fmt: skip


def attended(found: Page, x: Tensor, seen: Tensor, name: str = "y") -> Tensor:
    """A layer of four heads with a mask."""
    q, k, v = (x.double() @ found.weights[f"{name}.qkv.weight"].T).chunk(3, dim=-1)
    return multi_head(q, k, v, 4, seen) @ found.weights[f"{name}.o.weight"].T


def test_causal() -> None:
    found = page("08-masks-causal")
    seen = mask(LENGTH, lambda t, s: s <= t)
    assert (found.both(x=X)[0] - attended(found, X, seen)).abs().max() <= 1e-5
    assert torch.equal(reached(found.model, {"x": X}, "x"), seen.expand(2, -1, -1))


@pytest.mark.parametrize("name", RULES)
def test_windows_and_pieces(name: str) -> None:
    found = page("08-masks-window")
    output = list(RULES).index(name)
    seen = mask(LENGTH, RULES[name])
    y = found.both(x=X)[output]
    assert (y - attended(found, X, seen, name)).abs().max() <= 1e-5
    assert torch.equal(reached(found.model, {"x": X}, "x", output), seen.expand(2, -1, -1))


def test_a_given_mask_with_padding() -> None:
    """A place that sees several others depends on itself too: it asks."""
    found = page("08-masks-given")
    allowed = torch.rand(2, LENGTH, LENGTH, generator=torch.Generator().manual_seed(0)) < 0.4
    allowed[0, 3] = False
    real = torch.ones(2, LENGTH, dtype=torch.bool)
    real[1, 9:] = False
    seen = allowed & real[:, None, :]
    given = {"x": X, "x_mask": real, "allowed": allowed}
    (y,) = found.both(**given)
    assert (y - attended(found, X, seen)).abs().max() <= 1e-5
    assert torch.equal(y[0, 3], torch.zeros(64))
    asked = torch.eye(LENGTH, dtype=torch.bool) & (seen.sum(dim=-1, keepdim=True) > 1)
    assert torch.equal(reached(found.model, given, "x"), seen | asked)


def test_nothing_leaks_between_documents() -> None:
    """Two layers, the first with a window of 8, both causal and within documents."""
    found = page("08-masks-segments")
    ids = torch.randint(256, (2, LENGTH), generator=torch.Generator().manual_seed(1))
    given = {"ids": ids, "ids_segments": SEGMENTS}
    same = SEGMENTS[:, :, None] == SEGMENTS[:, None, :]
    near, before = mask(LENGTH, lambda t, s: 0 <= t - s < 8), mask(LENGTH, lambda t, s: s <= t)
    assert torch.equal(reached(found.model, given, "tok"), composed([same & near, same & before]))
    assert all(ok is not False for ok in found.status().values())


@pytest.mark.parametrize(
    "options",
    [
        {"mask": "causal", "rope": {"theta": 10000}},
        {"mask": "causal", "window": 3, "chunk": 4},
        {"window": 2, "rope": {"theta": 100, "pairs": "adjacent"}},
        {"chunk": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "positions",
    [
        {"learned": 32, "offset": 2, "from": "segments"},
        {"sinusoid": {"max": 32}},
        {"learned": 32, "combine": "concat", "width": 8},
    ],
    ids=str,
)
def test_a_document_in_company_is_a_document_alone(
    options: dict[str, object], positions: dict[str, object]
) -> None:
    found = of(
        {
            "name": "packed",
            "inputs": {"ids": {"tokens": {"segments": True}}},
            "defaults": {"norm": {"rms": 1e-6}, "norm_at": "pre"},
            "graph": {
                "tok": {"embed": {"vocab": 50, "dim": 24, "positions": positions}, "in": "ids"},
                "h": {
                    "stack": {
                        "repeat": 2,
                        "layer": {"attn": {"attention": {"heads": 4, **options}}},
                    }
                },
            },
        }
    )
    ids = torch.randint(50, (2, LENGTH), generator=torch.Generator().manual_seed(2))
    (packed,) = found.both(ids=ids, ids_segments=SEGMENTS)
    for row in range(2):
        for number in set(SEGMENTS[row].tolist()):
            there = SEGMENTS[row] == number
            one = ids[row, there][None]
            (alone,) = found.torch(ids=one, ids_segments=torch.zeros_like(one))
            assert (packed[row, there] - alone[0]).abs().max() <= 1e-5
    (mixed,) = found.torch(ids=ids, ids_segments=torch.zeros_like(ids))
    assert (mixed - packed).abs().max() > 1e-3


def test_segments_can_be_turned_off() -> None:
    """Then neither the mask nor the angles of that attention know documents."""
    spec = {
        "name": "unpacked",
        "inputs": {"x": {"features": {"shape": ["T", 16], "segments": True}}},
        "graph": {
            "y": {"attention": {"heads": 2, "rope": {"theta": 100}, "segments": False}, "in": "x"}
        },
    }
    x = normal(2, LENGTH, 16)
    found = of(spec)
    y = found.torch(x=x, x_segments=SEGMENTS)[0]
    assert torch.equal(y, found.torch(x=x, x_segments=torch.zeros_like(SEGMENTS))[0])
    spec["graph"]["y"]["attention"]["segments"] = True  # type: ignore[index]
    packed = of(spec)
    assert (packed.torch(x=x, x_segments=SEGMENTS)[0] - y).abs().max() > 1e-2


@pytest.mark.parametrize("window", [1, 3, 99])
@pytest.mark.parametrize("padded", [False, True])
def test_layers_with_windows_of_their_own_share_what_they_can(window: int, padded: bool) -> None:
    """Windows by turns: two masks, made once, and one class of layers where only they differ."""
    found = of(
        {
            "name": "turns",
            "inputs": {"ids": {"tokens": {"padded": padded}}},
            "defaults": {"norm": {"rms": 1e-6}, "norm_at": "pre"},
            "graph": {
                "tok": {"embed": {"vocab": 50, "dim": 16}, "in": "ids"},
                "h": {
                    "stack": {
                        "repeat": 4,
                        "layer": {"attn": {"attention": {"heads": 2, "mask": "causal"}}},
                        "cycle": [{"attn.window": window}, {"attn.window": 5}],
                    }
                },
                "logits": {"unembed": {"tie": "tok"}},
            },
        }
    )
    text = found.made.generated.text
    assert text.count("= latest(") == 2
    assert text.count("class Attention(") == 1
    assert all(ok is not False for ok in found.status().values())
    ids = torch.randint(50, (1, LENGTH), generator=torch.Generator().manual_seed(3))
    given = {"ids": ids, "ids_mask": torch.ones(1, LENGTH, dtype=torch.bool)}
    near, far = (mask(LENGTH, lambda t, s, w=w: 0 <= t - s < w) for w in (window, 5))
    assert torch.equal(reached(found.model, given, "tok")[0], composed([near, far, near, far]))
