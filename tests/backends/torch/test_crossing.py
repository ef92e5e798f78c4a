"""Keys and values of a source in generated code, written as a reader would."""

import pytest

from tests.backends.torch.live import live
from tests.lower.specs import encoder_decoder
from tests.passes.test_encoder_decoder import CASES

ONE = [
    "    def keys_values(self, memory_BSD: Tensor) -> tuple[Tensor, Tensor]:",
    "    def cross_kv(self, memory_BSD: Tensor) -> list[tuple[Tensor, Tensor]]:",
    "        return [block.cross.keys_values(memory_BSD) for block in self.dec]",
    "        cross_kv: list[tuple[Tensor, Tensor]],",
    "            x_BTD = block(x_BTD, kv_2BHCK, pos, seen_TW, seen_B11S, *cross_kv[layer])",
]
CALL = "self.cross_kv(memory_BSD)"
BOTH = "(*block.one.keys_values({}), *block.two.keys_values({}))"
OWN = {"attention": {"heads": 2, "mask": "causal"}}
LAYER = {"own": OWN, "cross": {"attention": {"heads": 2, "source": "memory"}}}
LINES = {
    "plain": [
        *ONE,
        "        cross_kv = model.cross_kv(model.encode(src, src_mask))",
        "        logits = model.decode(tgt, cross_kv, src_mask, kv)",
        f"        return self.decode(tgt_BT, {CALL}, src_mask_BS, kv_L2BHCK, pos)",
    ],
    "memory too": [
        *ONE,
        "        memory = model.encode(src, src_mask)",
        "        cross_kv = model.cross_kv(memory)",
        "        memory, logits = model.decode(tgt, memory, cross_kv, src_mask, kv)",
    ],
    "two sources": [
        "        one_memory, two_memory = model.encode(one, two)",
        "        cross_kv = model.cross_kv(one_memory, two_memory)",
        f"            {BOTH.format('one_memory_BSD', 'two_memory_BWD')}",
    ],
    "twice": [f"            {BOTH.format('memory_BSD', 'memory_BSD')}"],
}
STACK = {"stack": {"repeat": 2, "layer": LAYER}}
GRAPH = encoder_decoder(dec=STACK)["graph"]
HEAD = {"logits": GRAPH.pop("logits")}
SPECS = {
    **{name: CASES[name] for name in LINES},
    "one layer": encoder_decoder(dec={"stack": {"repeat": 1, "layer": LAYER}}),
    "two stacks": encoder_decoder() | {"graph": {**GRAPH, "more": STACK, **HEAD}},
}
LINES["two stacks"] = [
    "        dec_cross_kv, more_cross_kv = model.cross_kv(model.encode(src, src_mask))",
    "        more_cross_kv = [block.cross.keys_values(memory_BSD) for block in self.more]",
    "        return dec_cross_kv, more_cross_kv",
]


@pytest.mark.parametrize("name", LINES)
def test_text(name: str) -> None:
    lines = live(SPECS[name]).generated.text.splitlines()
    for line in LINES[name]:
        assert line in lines


@pytest.mark.parametrize("name", SPECS)
def test_numbers(name: str) -> None:
    found = live(SPECS[name])
    assert found.apart(found.inputs()) <= 1e-6
