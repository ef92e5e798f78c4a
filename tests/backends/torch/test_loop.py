"""Loops over layers: folded where layers are called alike, and always in the right order."""

from typing import Any

import pytest

from tests.backends.torch.live import live
from tests.lower.specs import ATTENTION, MLP, decoder

CYCLE = {"cycle": [{"mlp.act": "gelu"}, {}]}
ROPE = {"attention": {"heads": 4, "mask": "causal", "rope": {"theta": 10000}}}
TWO_BASES = {"attn": ROPE, "mlp": MLP}
SETS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "one after the other": (decoder(), ["for layer, block in enumerate(self.h):"]),
    "without a cache": (
        decoder({"mlp": MLP}),
        ["for block in self.h:", "    x_BTD = block(x_BTD)"],
    ),
    "shared": (
        decoder({"mlp": MLP}, share=True),
        ["for _ in range(L):", "    x_BTD = self.h[0](x_BTD)"],
    ),
    "a cycle called alike": (
        decoder({"mlp": MLP}, repeat=4, **CYCLE),
        ["for block in self.h:", "    x_BTD = block(x_BTD)"],
    ),
    "a cycle called otherwise": (
        decoder(TWO_BASES, repeat=4, cycle=[{"attn.rope.theta": 500}, {}]),
        ["for layer in range(0, 4, 2):"],
    ),
    "a cycle and a remainder": (
        decoder({"mlp": MLP}, repeat=5, **CYCLE),
        ["for block in self.h[0:4]:", "x_BTD = self.h[4](x_BTD)"],
    ),
    "another first layer": (
        decoder({"mlp": MLP}, repeat=4, at={0: {"mlp.act": "silu"}}),
        ["x_BTD = self.h[0](x_BTD)", "for block in self.h[1:4]:"],
    ),
    "with a layer of attention left out": (
        decoder({"attn": ATTENTION, "mlp": MLP}, at={-1: {"attn": "none"}}),
        ["for layer, block in enumerate(self.h[0:2]):", "self.h[2](x_BTD)"],
    ),
}


OWN = {"attention": {"heads": 4, "source": "tok"}}
SETS["at what it starts from"] = (
    decoder({"cross": OWN}),
    ["y_BTD = x_BTD", "for block in self.h:", "    y_BTD = block(y_BTD, x_BTD)"],
)


@pytest.mark.parametrize("name", SETS)
def test_the_loop_is_written_as_a_reader_would(name: str) -> None:
    spec, lines = SETS[name]
    text = live(spec).generated.text
    for line in lines:
        assert f"        {line}" in text or line in text


@pytest.mark.parametrize("name", SETS)
def test_layers_run_in_the_order_of_the_spec(name: str) -> None:
    found = live(SETS[name][0])
    assert found.apart(found.inputs()) <= 1e-6


@pytest.mark.parametrize("name", SETS)
def test_each_layer_takes_its_slice_of_the_cache(name: str) -> None:
    found = live(SETS[name][0])
    given, state = found.inputs(2, 4), found.cache(2, 6)
    assert bool(state) == (found.plain.grown != "")
    (whole,) = found.expected(given)
    if state:
        start = {"ids": given["ids"][:, :3], **state, "pos": 0}
        found.found(start)
        (last,) = found.found({"ids": given["ids"][:, 3:], **state, "pos": 3})
        assert (last - whole[:, 3:]).abs().max() <= 1e-6
