import pytest

from compiler.ir.target import Target
from compiler.verify.module import build
from compiler.verify.parity import parity
from tests.verify.changed import mistaken
from tests.verify.models import Mapping, decoder, encoder, made, points

SPECS = {"decoder": decoder(), "encoder": encoder(), "set": points()}


@pytest.mark.parametrize("name", SPECS)
def test_both_compute_the_same(name: str) -> None:
    found = made(SPECS[name])
    check = parity(found, build(found.generated))
    assert check.ok
    assert check.measured is not None
    assert 0 < check.measured <= 1e-5


def test_pieces_are_compared_where_a_mask_of_all_pairs_is_given() -> None:
    source = decoder()
    source["inputs"]["seen"] = {"mask": ["T", "T"]}
    found = made(source)
    assert found.program.grown
    check = parity(found, build(found.generated))
    assert check.ok, check


@pytest.mark.parametrize("padded", [True, False])
def test_both_compute_the_same_where_rows_are_counted(padded: bool) -> None:
    layer = {"attn": {"attention": {"heads": 4, "head_dim": 8, "mask": "causal"}}}
    spec = {**decoder(), "inputs": {"ids": {"tokens": {"padded": padded}}}}
    spec["graph"] |= {"h": {"stack": {"repeat": 2, "layer": layer}}}
    found = made(spec)
    check = parity(found, build(found.generated), Target("cpu"))
    assert check.ok, check


@pytest.mark.parametrize(
    ("spec", "said", "instead"),
    [
        (decoder(), "EPS, ROPE_BASE = 1e-5", "EPS, ROPE_BASE = 1e-2"),
        (decoder(), "F.silu(gate_BTM) * up_BTM", "F.silu(up_BTM) * gate_BTM"),
        (decoder(), "is_causal=seen_TS is None", "is_causal=False"),
        (encoder(), "F.gelu(self.up(x_BTD))", 'F.gelu(self.up(x_BTD), approximate="tanh")'),
        (encoder(), "attn_mask=seen_B11T", "attn_mask=None"),
        (encoder(), ".clamp(min=1)", ".clamp(min=9)"),
        (points(), "x_BND + self.o", "self.o"),
    ],
)
def test_a_mistake_is_found(spec: Mapping, said: str, instead: str) -> None:
    found = made(spec)
    check = parity(found, mistaken(found, said, instead))
    assert check.ok is False
    assert check.measured is not None
    assert check.measured > 1e-5
