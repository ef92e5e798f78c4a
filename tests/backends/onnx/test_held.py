"""The bytes of weights that a cost report counts, against the initializers of models as built."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
import pytest

import archspec
import compiler
from archspec.model.spec import Spec
from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Target
from compiler.passes.metrics import totals
from compiler.passes.setting import Setting
from tests.shipped import SPECS

FINE = (Choice("*", Integers(4, 32, "zero-point")),)
COLUMNS = (Choice("*", Integers(8, None, "symmetric")),)
TARGETS = (
    Target("cpu", "int8"),
    Target("cuda", "int4"),
    Target("cpu", "int4", choices=FINE),
    Target("cpu", "int8", choices=COLUMNS),
)
FAMILIES: dict[str, tuple[str, ...]] = {
    "decoder/gpt2": (),  # tied, with biases and learned positions
    "decoder/gemma3-270m": (),
    "decoder/mixtral-8x7b": ("n_layers=2",),
    "decoder/gpt-oss-20b": ("n_layers=2",),  # biased experts, widths of no whole blocks
    "decoder/deepseek-v2-lite": ("n_layers=2",),  # latent attention
    "encoder/bert-base": (),  # whole columns on a CPU
    "encoder/albert-base-v2": (),  # layers that share weights
    "encoder/deberta-v3-small": (),
    "encoder-decoder/t5-small": (),  # two files, one table
    "encoder-decoder/bart-base": (),
    "encoder-decoder/whisper-tiny": (),
    "history/01-seq2seq": (),  # weights of recurrent cells as one tensor
    "vision/vit-b16-cls": (),
    "multimodal/clip-b32": (),
}
ODD: Mapping[str, Any] = {
    "name": "odd",
    "inputs": {"ids": "tokens"},
    "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True},
    "graph": {
        "tok": {"embed": {"vocab": 61, "dim": 66}, "in": "ids"},
        "h": {
            "stack": {
                "repeat": 3,
                "layer": {
                    "attn": {"attention": {"heads": 6, "kv_heads": 2, "mask": "causal"}},
                    "mlp": {"mlp": {"hidden": 200, "act": "gelu"}},
                },
            }
        },
        "narrow": {"linear": {"dim": 31}},
        "logits": {"unembed": {"vocab": 77}},
    },
}
"""No width is in whole blocks, and one is too small to be rounded."""


def counted(spec: Spec, target: Target) -> int:
    """What the report says."""
    found = compiler.compile(spec).cost()
    setting = Setting("bf16" if target.provider == "cuda" else "fp32", rounded=target)
    return totals(found.costs, found.at, setting)["weights_bytes"]


def outside(folder: Path) -> int:
    """Bytes of all initializers that lie in the data file, what several read once."""
    every = {
        tuple((each.key, each.value) for each in tensor.external_data)
        for file in folder.glob("*.onnx")
        for tensor in onnx.load(file, load_external_data=False).graph.initializer
        if tensor.data_location == onnx.TensorProto.EXTERNAL
    }
    return sum(int(dict(place)["length"]) for place in every)


@pytest.mark.parametrize("target", TARGETS, ids=["int8-cpu", "int4-cuda", "int4-fine", "column"])
@pytest.mark.parametrize("name", FAMILIES)
def test_weights_are_those_of_the_model_as_built(name: str, target: Target, tmp_path: Path) -> None:
    spec = archspec.load(SPECS / f"{name}.yaml", set=FAMILIES[name])
    compiler.compile(spec).onnx(tmp_path, weights="none", target=target)
    assert counted(spec, target) == outside(tmp_path)


@pytest.mark.parametrize("target", TARGETS, ids=["int8-cpu", "int4-cuda", "int4-fine", "column"])
def test_widths_of_no_whole_blocks_are_filled_up(target: Target, tmp_path: Path) -> None:
    spec = archspec.load(ODD)
    program = compiler.compile(spec)
    program.onnx(tmp_path, target=target)
    parameters = {
        name.removesuffix(".rows"): tensor
        for file in tmp_path.glob("*.onnx")
        for tensor in onnx.load(file).graph.initializer
        for name in [tensor.name]
        if name.startswith(("tok.", "h.", "narrow.", "logits."))
    }
    assert counted(spec, target) == sum(len(each.raw_data) for each in parameters.values())
