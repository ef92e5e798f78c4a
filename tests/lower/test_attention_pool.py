"""A pool by attention against SigLIP's head and torch's multi-head attention."""

import pytest
import torch
from torch import nn
from transformers import SiglipVisionConfig
from transformers.models.siglip.modeling_siglip import SiglipMultiheadAttentionPoolingHead

from compiler.verify.laws import padding
from compiler.verify.module import build
from tests.backends.torch.live import Live, live
from tests.lower.specs import Tree, model, over, rejected
from tests.verify.models import made

D = 12


def asked(found: Live, attention: nn.MultiheadAttention) -> None:
    """Put our projections into torch's."""
    w = {name.removeprefix("y."): value for name, value in found.weights.items()}
    state = {
        "in_proj_weight": torch.cat([w[f"{p}.weight"] for p in "qkv"]),
        "in_proj_bias": torch.cat([w[f"{p}.bias"] for p in "qkv"]),
        "out_proj.weight": w["o.weight"],
        "out_proj.bias": w["o.bias"],
    }
    attention.load_state_dict(state)


@pytest.mark.parametrize("padded", [False, True])
def test_what_a_learned_query_finds(padded: bool) -> None:
    graph: Tree = {"y": {"pool": {"attention": {"heads": 3}}, "in": "x"}}
    given: Tree = {"x": {"features": {"shape": ["T", D], "padded": padded}}}
    found = live(model(graph, given, defaults={"bias": True}))
    theirs = nn.MultiheadAttention(D, 3, batch_first=True).double()
    asked(found, theirs)
    inputs = found.inputs(3, 7)
    hidden = ~inputs["x_mask"] if padded else None
    probe = found.weights["y.probe.weight"].expand(3, 1, D)
    wanted, _ = theirs(probe, inputs["x"], inputs["x"], key_padding_mask=hidden)
    assert torch.allclose(found.found(inputs)[0], wanted[:, 0])


def test_the_head_of_siglip() -> None:
    """The residual step behind it is a stack of one layer, over a vector a row."""
    config = SiglipVisionConfig(hidden_size=D, num_attention_heads=3, intermediate_size=20)
    theirs = SiglipMultiheadAttentionPoolingHead(config).double().eval()
    step = {"mlp": {"hidden": 20, "act": "gelu_tanh"}, "norm": {"layer": 1e-6}, "norm_at": "pre"}
    spec = over(
        D,
        {
            "y": {"pool": {"attention": {"heads": 3}}},
            "z": {"stack": {"repeat": 1, "layer": {"mlp": step}}},
        },
        defaults={"bias": True},
    )
    found = live(spec)
    asked(found, theirs.attention)
    names = {"mlp.fc1": "up", "mlp.fc2": "down", "layernorm": "norm"}
    for name, ours in names.items():
        for kind in ("weight", "bias"):
            theirs.get_submodule(name).get_parameter(kind).data = found.weights[
                f"z.0.mlp.{ours}.{kind}"
            ]
    theirs.probe.data = found.weights["y.probe.weight"][None]
    inputs = found.inputs(2, 5)
    with torch.no_grad():
        assert torch.allclose(found.found(inputs)[0], theirs(inputs["x"]))


def test_padding_does_not_matter() -> None:
    graph: Tree = {
        "e": {"embed": {"vocab": 9, "dim": D}, "in": "ids"},
        "y": {"pool": {"attention": {"heads": 2, "head_dim": 5}}},
    }
    compiled = made(model(graph, {"ids": {"tokens": {"padded": True}}}))
    assert padding(compiled, build(compiled.generated)).ok


def test_heads_divide_the_width() -> None:
    found = rejected(over(D, {"y": {"pool": {"attention": {"heads": 5}}}}))
    assert found.code == "AR0303"
