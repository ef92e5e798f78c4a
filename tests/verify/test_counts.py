import pytest

from compiler.verify.counts import counts
from tests.verify.changed import with_source
from tests.verify.models import Mapping, decoder, encoder, made, points


@pytest.mark.parametrize("spec", [decoder(), encoder(positions={"learned": 64}), points()])
def test_counts_agree(spec: Mapping) -> None:
    parameters, flops = counts(made(spec))
    assert parameters.ok
    assert flops.ok
    assert parameters.measured
    assert flops.measured


def test_counts_of_a_mixture_agree() -> None:
    """With shared experts and a gate of the token; a correction is no parameter."""
    spec = decoder()
    network = {"hidden": 24, "act": "silu", "gated": True}
    spec["graph"]["h"]["stack"]["layer"]["mlp"] = {
        "moe": {
            "experts": 8,
            "top_k": 2,
            "expert": {**network, "bias": True, "clamp": 7, "alpha": 1.702, "up_offset": 1},
            "shared": {**network, "token_gate": True},
            "router": {"score": "sigmoid", "correction": True, "groups": 4, "top_groups": 2},
        }
    }
    parameters, flops = counts(made(spec))
    assert parameters.ok
    assert flops.ok
    assert flops.measured


def test_counts_of_a_pool_by_attention_agree() -> None:
    spec = encoder()
    spec["graph"]["mean"] = {"pool": {"attention": {"heads": 2}}}
    parameters, flops = counts(made(spec))
    assert parameters.ok
    assert flops.ok


def test_a_parameter_more_is_found() -> None:
    spec = with_source(made(decoder()), "nn.Linear(M, D, bias=False)", "nn.Linear(M, D)")
    parameters, flops = counts(spec)
    assert parameters.ok is False
    assert flops.ok


def test_a_product_more_is_found() -> None:
    said = "x_BTD + self.down("
    spec = with_source(made(decoder()), said, "x_BTD * (x_BTD @ x_BTD.mT).sum() + self.down(")
    parameters, flops = counts(spec)
    assert parameters.ok
    assert flops.ok is False
