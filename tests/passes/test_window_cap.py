"""Caches under windows, against what papers and people who measured say."""

import pytest

from archspec.load import load
from compiler.passes.cost import cost
from compiler.passes.metrics import totals
from tests.passes.samples import LLAMA, lowered, named

BYTES = 2


def held(name: str, length: int) -> tuple[int, int]:
    """Bytes that must be kept at a length, and those that the generated code keeps."""
    costs = cost(lowered(named(name)))
    found = totals(costs, {"B": 1, "T": length, "S": length})
    return found["kv_bytes"], found.get("kv_held_bytes", found["kv_bytes"])


def test_a_rolling_cache_of_mistral_is_an_eighth() -> None:
    """Jiang et al. 2023, section 2: at 32k tokens a rolling cache takes 8 times less."""
    kept, whole = held("decoder/mistral-7b", 32_768)
    assert whole == 8 * kept == 2 * BYTES * 32 * 8 * 128 * 32_768


@pytest.mark.parametrize(("length", "gigabytes"), [(4, 0.40), (8, 0.48), (32, 0.99), (128, 3.00)])
def test_gemma_4_as_it_was_measured(length: int, gigabytes: float) -> None:
    """ollama#16958 on Gemma 4 26B-A4B: 25 layers of 8 heads of 256 behind a window of 1024, of
    which it keeps a batch of 512 more, and 5 layers of 2 heads of 512 that see everything."""
    near = {"attn.kv_heads": 8, "attn.head_dim": 256, "attn.window": 1024 + 512}
    far = {"attn.kv_heads": 2, "attn.head_dim": 512}
    spec = load(
        {
            "name": "gemma4",
            "dims": {"vocab": 32, "d_model": 16},
            "inputs": {"ids": {"tokens": {"max": 262_144}}},
            "graph": {
                "tok": {"embed": {"vocab": "vocab", "dim": "d_model"}, "in": "ids"},
                "h": {
                    "stack": {
                        "repeat": 30,
                        "layer": {"attn": {"attention": {"heads": 16, "mask": "causal"}}},
                        "cycle": [{"times": 5, "patch": near}, far],
                    }
                },
                "logits": {"unembed": {"tie": "tok"}},
            },
        }
    )
    found = totals(cost(lowered(spec)), {"B": 1, "T": length * 1024, "S": length * 1024})
    assert round(found["kv_bytes"] / 1e9, 2) == gigabytes


def test_half_of_gemma_2_looks_back_4096() -> None:
    layer = 2 * BYTES * 4 * 256
    for length in (1000, 4096, 8192):
        kept, whole = held("decoder/gemma2-2b", length)
        assert kept == 13 * layer * (min(length, 4096) + length)
        assert whole == 26 * layer * length


@pytest.mark.parametrize(("bounds", "most"), [({"window": 5}, 5), ({"chunk": 8}, 8), ({}, None)])
@pytest.mark.parametrize("length", [3, 5, 8, 40])
def test_what_no_later_position_sees_is_not_needed(
    bounds: dict[str, int], most: int | None, length: int
) -> None:
    """By hand: the positions that a query can look at, the most over all places."""
    patches = [f"h.layer.attn.{name}={size}" for name, size in bounds.items()]
    found = totals(
        cost(lowered(load(LLAMA, set=patches))),
        {"B": 1, "T": length, "S": length},
    )
    kept = max(len(_seen(query, bounds)) for query in range(length))
    assert kept == min(length, most or length)
    assert found["kv_bytes"] == kept * found["kv_bytes_per_token"]
    assert ("kv_held_bytes" in found) == bool(bounds)
    assert found.get("kv_held_bytes", found["kv_bytes"]) == length * found["kv_bytes_per_token"]


def _seen(query: int, bounds: dict[str, int]) -> list[int]:
    first = query - bounds["window"] + 1 if "window" in bounds else 0
    piece = query // bounds["chunk"] * bounds["chunk"] if "chunk" in bounds else 0
    return [key for key in range(query + 1) if key >= max(first, piece)]
