"""Filters that shorten a sequence: Whisper's stem, strides over padding, sequences joined."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import WhisperConfig
from transformers.models.whisper.modeling_whisper import WhisperEncoder

from compiler.passes.cost import cost
from compiler.verify.laws import padding
from compiler.verify.module import build
from compiler.verify.parity import parity
from tests.backends.torch.live import live
from tests.lower.specs import Tree, model, over, rejected
from tests.verify.models import made

D = 12
CONVS = [{"kernel": 3, "stride": 1, "pad": 1}, {"kernel": 3, "stride": 2, "pad": 1}]
STEM: Tree = {"convs": CONVS, "in_dim": 5, "dim": D, "act": "gelu"}


def stem(given: Tree, **more: Any) -> Tree:
    return model({"x": {"conv_stem": {**STEM, **more}, "in": "f"}}, {"f": given})


def stemmed(frames: Tensor, w: dict[str, Tensor]) -> Tensor:
    """[B, 5, T] to [B, N, D]."""
    y = functional.gelu(functional.conv1d(frames, w["x.conv_1.weight"], padding=1))
    return functional.gelu(functional.conv1d(y, w["x.conv_2.weight"], padding=1, stride=2)).mT


def test_the_stem_of_whisper() -> None:
    config = WhisperConfig(
        num_mel_bins=5, d_model=D, encoder_layers=0, encoder_attention_heads=2,
        max_source_positions=9,
    )  # fmt: skip
    theirs = WhisperEncoder(config).double().eval()
    theirs.layer_norm = nn.Identity()
    found = live(stem({"frames": [5, 18]}, bias=True, positions={"learned": 9}))
    w = found.weights
    names = {"conv1": "conv_1", "conv2": "conv_2"}
    for name, ours in names.items():
        for kind in ("weight", "bias"):
            theirs.get_submodule(name).get_parameter(kind).data = w[f"x.{ours}.{kind}"]
    theirs.embed_positions.weight.data = w["x.positions.weight"]
    given = found.inputs(2)
    with torch.no_grad():
        wanted = theirs(given["f"]).last_hidden_state
    assert torch.allclose(found.found(given)[0], wanted)


@pytest.mark.parametrize("length", [1, 2, 7, 8])
@pytest.mark.parametrize("kind", ["frames", "features"])
def test_any_length(kind: str, length: int) -> None:
    found = live(stem({kind: [5, "T"] if kind == "frames" else ["T", 5]}))
    given = found.inputs(2, length)
    frames = given["f"] if kind == "frames" else given["f"].mT
    assert torch.allclose(found.found(given)[0], stemmed(frames, found.weights))


@pytest.mark.parametrize("kind", ["frames", "features"])
def test_padding_is_silence(kind: str) -> None:
    shape = [5, "T"] if kind == "frames" else ["T", 5]
    found = live(stem({kind: {"shape": shape, "padded": True}}))
    given = found.inputs(3, 9)
    frames = given["f"] if kind == "frames" else given["f"].mT
    (y,) = found.found(given)
    for row, mask in enumerate(given["f_mask"]):
        alone = stemmed(frames[row : row + 1, :, mask], found.weights)[0]
        assert torch.allclose(y[row, : len(alone)], alone)


ENCODER: Tree = {
    "h": {
        "stack": {
            "repeat": 2,
            "layer": {
                "attn": {"attention": {"heads": 2}},
                "conv": {"conv": {"kernel": 3}},
                "mlp": {"mlp": {"hidden": 16, "act": "relu"}},
            },
        }
    },
    "y": {"pool": "mean"},
}
PACKED: Tree = {"inputs": {"x": {"features": {"shape": ["T", D], "segments": True}}}}
NORMED: Tree = {"norm": {"rms": 1e-6}, "norm_at": "pre"}


@pytest.mark.parametrize("kind", ["frames", "features"])
def test_the_mask_is_strided_with_the_sequence(kind: str) -> None:
    shape = [5, "T"] if kind == "frames" else ["T", 5]
    spec = stem({kind: {"shape": shape, "padded": True}}, positions={"learned": 40})
    spec["graph"] |= ENCODER
    compiled = made({**spec, "defaults": NORMED, "outputs": ["h", "y"]})
    module = build(compiled.generated)
    assert padding(compiled, module).ok
    assert parity(compiled, module).ok


@pytest.mark.parametrize(
    "form",
    [
        {"kernel": 3, "stride": 2},
        {"kernel": 4, "stride": 3, "pad": "valid"},
        {"kernel": 2, "dilation": 3, "pad": 1, "bias": True},
        {"kernel": 3, "stride": 2, "causal": True, "groups": 2},
    ],
    ids=str,
)
@pytest.mark.parametrize("padded", [False, True])
def test_a_convolution_that_skips_places(form: Tree, padded: bool) -> None:
    given: Tree = {"x": {"features": {"shape": ["T", D], "padded": padded}}}
    found = live(model({"y": {"conv": {"dim": 6, **form}, "in": "x"}}, given))
    inputs, w = found.inputs(2, 11), found.weights
    (y,) = found.found(inputs)
    reach = (form["kernel"] - 1) * form.get("dilation", 1)
    pad = form.get("pad", "same")
    around = (reach // 2,) * 2 if pad == "same" else (0, 0) if pad == "valid" else (pad, pad)
    around = (reach, 0) if form.get("causal") else around
    for row in range(2):
        kept = inputs["x_mask"][row] if padded else slice(None)
        wanted = functional.conv1d(
            functional.pad(inputs["x"][row : row + 1, kept].mT, around),
            w["y.weight"],
            w.get("y.bias"),
            stride=form.get("stride", 1),
            dilation=form.get("dilation", 1),
            groups=form.get("groups", 1),
        ).mT[0]
        assert torch.allclose(y[row, : len(wanted)], wanted)


def test_costs_of_what_is_behind_a_stride_are_in_letters_of_the_input() -> None:
    compiled = made(stem({"frames": [5, "T"]}))
    found = cost(compiled.program)
    assert [known.name for known in found.free] == ["B", "T"]
    counted = found.total("matmul").at({**found.key.sizes, "B": 2, "T": 7})
    assert str(counted) == str(2 * 2 * (7 * D * 5 * 3 + 4 * D * D * 3))


def test_sequences_one_behind_the_other() -> None:
    inputs: Tree = {"a": {"features": ["S", D]}, "b": {"features": ["T", D]}}
    found = live(model({"y": {"concat": {"axis": "position"}, "in": ["a", "b", "a"]}}, inputs))
    given = found.inputs(2, 4)
    wanted = torch.cat((given["a"], given["b"], given["a"]), dim=1)
    assert torch.equal(found.found(given)[0], wanted)


@pytest.mark.parametrize("padded", [("a",), ("b",), ("a", "b"), ()])
def test_attention_over_joined_sequences_obeys_their_padding(padded: tuple[str, ...]) -> None:
    inputs: Tree = {
        name: {"features": {"shape": [letter, D], "padded": name in padded}}
        for name, letter in (("a", "S"), ("b", "T"))
    }
    graph: Tree = {"c": {"concat": {"axis": "position"}, "in": ["a", "b"]}, **ENCODER}
    compiled = made({**model(graph, inputs), "defaults": NORMED})
    module = build(compiled.generated)
    assert parity(compiled, module).ok


def test_a_joined_sequence_looks_past_padding() -> None:
    inputs: Tree = {
        "a": {"features": {"shape": ["S", D], "padded": True}},
        "b": {"features": ["T", D]},
    }
    graph: Tree = {
        "c": {"concat": {"axis": "position"}, "in": ["a", "b"]},
        "y": {"attention": {"heads": 2}},
        "z": {"pool": "mean"},
    }
    found = live(model(graph, inputs))
    given = found.inputs(2, 5)
    (wanted,) = found.found(given)
    given["a"] = given["a"] + 7 * ~given["a_mask"][..., None]
    assert torch.allclose(found.found(given)[0], wanted)


def test_patches_before_text() -> None:
    inputs: Tree = {"pixels": {"image": [3, 4, 4]}, "ids": "tokens"}
    graph: Tree = {
        "p": {"patches": {"size": 2, "image": 4, "dim": D}, "in": "pixels"},
        "t": {"embed": {"vocab": 9, "dim": D}, "in": "ids"},
        "c": {"concat": {"axis": "position"}, "in": ["p", "t"]},
        "h": ENCODER["h"],
    }
    compiled = made({**model(graph, inputs), "defaults": NORMED})
    assert parity(compiled, build(compiled.generated)).ok


@pytest.mark.parametrize("joined", [["x", "h"], ["h", "x"]])
def test_a_decoder_behind_a_joint_keeps_no_cache(joined: list[str]) -> None:
    """What stands behind sees all positions, so that new tokens change the results of old ones."""
    inputs: Tree = {"x": {"features": ["S", D]}, "ids": "tokens"}
    graph: Tree = {
        "t": {"embed": {"vocab": 9, "dim": D}, "in": "ids"},
        "h": {"attention": {"heads": 2, "mask": "causal"}},
        "c": {"concat": {"axis": "position"}, "in": joined},
        "y": {"attention": {"heads": 2}},
    }
    compiled = made(model(graph, inputs))
    assert compiled.program.grown == ""
    assert parity(compiled, build(compiled.generated)).ok


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (stem({"features": {"shape": ["T", 5], "segments": True}}), "AR0264"),
        (over(D, {"y": {"concat": {"axis": "position"}, "in": ["x", "x"]}}) | PACKED, "AR0264"),
        (over(D, {"y": {"conv": {"kernel": 3, "stride": 2}}}) | PACKED, "AR0264"),
        (stem({"frames": [6, "T"]}), "AR0301"),
        (stem({"features": ["T", 6]}), "AR0301"),
        (over(D, {"y": {"conv": {"kernel": 9, "pad": "valid"}}}) | {
            "inputs": {"x": {"features": [4, D]}}}, "AR0308"),
        (over(D, {"y": {"conv": {"kernel": 3, "pad": 4}}}) | {
            "inputs": {"x": {"features": {"shape": ["T", D], "padded": True}}}}, "AR0263"),
        (over(D, {"h": {"stack": {"repeat": 1, "layer": {
            "c": {"conv": {"kernel": 3, "stride": 2}}}}}}, defaults=NORMED), "AR0306"),
    ],
)  # fmt: skip
def test_what_cannot_be_filtered(spec: Tree, code: str) -> None:
    assert rejected(spec).code == code
