"""What a spec calls its parts may be what generated code calls its own: both go on working."""

from typing import Any

import pytest

import archspec
from archspec.source.fault import Fault
from archspec.source.names import check_name
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.decoding import decoding
from compiler.verify.module import build
from compiler.verify.parity import parity

# fmt: off
WORDS = (
    "encode", "decode", "kv", "pos", "x", "B", "T", "D", "block", "layer", "seen", "torch", "F",
    "nn", "Tensor", "cached", "name", "module", "table", "q", "norm", "tokens", "D_2", "place",
    "main", "training", "x_BTD",
)
# fmt: on
SLOTS = ("src_ids", "tgt_ids", "src", "memory", "tgt", "dec", "logits", "attn")


def spec(names: dict[str, str]) -> dict[str, Any]:
    """An encoder-decoder with padding on both sides, its parts called by `names`."""
    src_ids, tgt_ids, src, memory, tgt, dec, logits, attn = (names[slot] for slot in SLOTS)
    mlp = {"mlp": {"hidden": 24, "act": "gelu"}}
    seeing, looking = {"heads": 2, "mask": "causal"}, {"heads": 2, "source": memory}
    table = {"vocab": 11, "dim": 16, "types": 2, "positions": {"learned": 40}}
    encoder = {attn: {"attention": {"heads": 2}}, "m": mlp}
    decoder = {attn: {"attention": seeing}, "cross": {"attention": looking}, "m": mlp}
    padded = {"tokens": {"padded": True}}
    return {
        "name": "clashing",
        "inputs": {src_ids: padded, tgt_ids: padded},
        "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True, "dropout": 0.1},
        "graph": {
            src: {"embed": table, "in": src_ids},
            memory: {"stack": {"repeat": 2, "layer": encoder}},
            tgt: {"embed": {"share": src}, "in": tgt_ids},
            dec: {"stack": {"repeat": 2, "layer": decoder}},
            logits: {"unembed": {"tie": src}},
        },
    }


def may_be(word: str) -> bool:
    try:
        check_name(word, "a node")
    except Fault:
        return False
    return True


@pytest.mark.parametrize("shift", range(len(WORDS)))
def test_both_forms_compute_the_same(shift: int) -> None:
    """Over all shifts, every word has been every part."""
    words = {slot: WORDS[(shift + 5 * i) % len(WORDS)] for i, slot in enumerate(SLOTS)}
    names = {slot: word if may_be(word) else slot for slot, word in words.items()}
    made = compiled(archspec.load(spec(names)))
    assert isinstance(made, Compiled), made
    model = build(made.generated)
    assert decoding(made, model).ok
    assert parity(made, model).ok
