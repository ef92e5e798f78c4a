"""Mixtures of experts in integers as one node: torch with the numbers that the file stands for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from torch import nn

import archspec
from compiler.backends.onnx import MODEL, emit
from compiler.backends.onnx.walk import unrolled
from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Target
from compiler.runtime.opening import open_session
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.deviation import deviation_of
from compiler.verify.module import build, shake
from compiler.verify.parity import onnx_session, outputs
from tests.backends.onnx.built import Array, lazy, random_weights
from tests.backends.onnx.test_rounding import unpacked
from tests.shipped import ROOT

SIZES: Final = ("vocab=90", "d_model=64", "n_layers=1", "n_heads=4", "d_ff=96")
SPECS: Final[Mapping[str, Sequence[str]]] = {
    "mixtral-8x7b": (*SIZES, "n_kv_heads=2"),
    "gpt-oss-20b": (*SIZES, "n_kv_heads=2", "d_head=16", "n_experts=5"),
    "olmoe-1b-7b": ("vocab=90", "d_model=64", "n_layers=1", "n_heads=4", "d_expert=128"),
}
"""Shares that add up to one; biases, limits, a slope and a softmax of the chosen; and shares of
all, which add up to less."""


def sibling(name: str, *more: str) -> Compiled:
    settings = [*SPECS[name], *more]
    made = compiled(archspec.load(ROOT / f"specs/decoder/{name}.yaml", set=settings))
    assert isinstance(made, Compiled), made
    return made


def experts(bits: int, block: int | None = 32, rounding: str = "fitted") -> Target:
    """All experts in integers and everything else in floats."""
    held = Integers(bits, block, rounding)  # type: ignore[arg-type]
    return Target("cpu", choices=(Choice("*.experts.*", held),))


def kinds(made: Compiled, target: Target) -> set[str]:
    return {step.kind for step in unrolled(made.whole, target).flat()}


def stood_for(folder: Path, name: str, bits: int) -> Array:
    """The matrices [E, O, I] behind codes, scales and codes of zero, as the runtime has them."""
    held = onnx.load(str(folder / MODEL)).graph.initializer
    found = {each.name: numpy_helper.to_array(each) for each in held}
    codes, scales = unpacked(found[name], bits), found[f"{name}.scales"]
    zeros = np.full(scales.shape, 2.0 ** (bits - 1))
    if f"{name}.zeros" in found:
        zeros = unpacked(found[f"{name}.zeros"], bits)[..., : scales.shape[-1]]
    blocks = codes.reshape(*scales.shape, -1)
    made = (blocks - zeros[..., None]) * scales[..., None]
    return np.asarray(made.reshape(codes.shape), np.float32)


def exactly(folder: Path) -> None:
    """Let the runtime multiply floats, which is what every other accuracy level is."""
    model = onnx.load(str(folder / MODEL), load_external_data=False)
    levels = [a for n in model.graph.node for a in n.attribute if a.name == "accuracy_level"]
    assert levels and all(level.i == 4 for level in levels)
    for level in levels:
        level.i = 0
    onnx.save(model, str(folder / MODEL))


def deviation(made: Compiled, model: nn.Module, folder: Path, bits: int) -> float:
    """How far a built file is from torch with the experts that the file's integers stand for."""
    state = model.state_dict()
    path = "h.0.mlp.experts"
    woven = stood_for(folder, f"{path}.gate_up.weight.woven.int{bits}", bits)
    both = np.concatenate([woven[:, 0::2], woven[:, 1::2]], axis=1)
    state[f"{path}.gate_up.weight"] = torch.from_numpy(both)
    down = stood_for(folder, f"{path}.down.weight.int{bits}", bits)
    state[f"{path}.down.weight"] = torch.from_numpy(down)
    model.load_state_dict(state)
    session = open_session(folder, threads=1, device="cpu")
    pairs = [(a, b) for both in outputs(made, model, session) for a, b in zip(*both, strict=True)]
    return float(deviation_of(pairs).relative)


@pytest.mark.parametrize(
    ("name", "bits", "rounding"),
    [
        ("mixtral-8x7b", 4, "fitted"),
        ("mixtral-8x7b", 8, "symmetric"),
        ("gpt-oss-20b", 4, "zero-point"),
        ("gpt-oss-20b", 8, "zero-point"),
    ],
)
def test_one_node_computes_what_its_integers_stand_for(
    tmp_path: Path, name: str, bits: int, rounding: str
) -> None:
    made, target = sibling(name), experts(bits, 32, rounding)
    model = build(made.generated)
    shake(model)
    onnx_session(made.files, model, tmp_path, target)
    exactly(tmp_path)
    bar = {4: 1e-5, 8: 0.01}[bits]  # of 8 bits every kernel rounds the inputs too
    assert deviation(made, model, tmp_path, bits) < bar


def on_device(bits: int, block: int | None, rounding: str = "fitted") -> Target:
    """The same for CUDA, in floats that a CPU has kernels for."""
    return replace(experts(bits, block, rounding), provider="cuda", precision="fp16")


@pytest.mark.parametrize(
    ("name", "bits", "rounding", "ports"),
    [
        ("mixtral-8x7b", 4, "fitted", 7),
        ("gpt-oss-20b", 4, "zero-point", 13),
        ("gpt-oss-20b", 8, "symmetric", 8),
        ("olmoe-1b-7b", 4, "fitted", 7),
    ],
)
def test_the_node_of_a_device_computes_it_too(
    tmp_path: Path, name: str, bits: int, rounding: str, ports: int
) -> None:
    """It makes the shares itself, of scores at the second of its ports, and takes none at the last,
    the fifteenth; in fp16 on a CPU, which rounds more."""
    wide = [] if name == "olmoe-1b-7b" else ["d_ff=128"]
    made, target = sibling(name, *wide), on_device(bits, 32, rounding)
    model = build(made.generated)
    shake(model)
    onnx_session(made.files, model, tmp_path, target)
    (node,) = [n for n in onnx.load(tmp_path / MODEL).graph.node if n.op_type == "QMoE"]
    assert len(node.input) == ports
    assert "accuracy_level" not in {each.name for each in node.attribute}
    assert deviation(made, model, tmp_path, bits) < 0.02


@pytest.mark.parametrize(
    ("more", "target"),
    [
        ((), on_device(4, 32)),
        (("d_ff=128",), on_device(8, None)),
        ((), experts(4, 64)),
        ((), experts(8, None)),
        ((), Target("cuda", "int4")),
        ((), Target("cpu", choices=(Choice("*.experts.1.*", None), *experts(4).choices))),
        (("d_ff=80",), experts(4)),
    ],
    ids=[
        "broken tiles",
        "columns there",
        "wider blocks",
        "columns",
        "device",
        "an expert in floats",
        "a broken block",
    ],
)
def test_where_it_does_not_fit_every_expert_has_products(
    more: Sequence[str], target: Target
) -> None:
    assert "QMoE" in kinds(sibling("mixtral-8x7b"), experts(4))
    found = kinds(sibling("mixtral-8x7b", *more), target)
    assert "Split" in found and not found & {"QMoE", "MoE"}


def test_what_rounding_loses_is_told_of_each_expert(tmp_path: Path) -> None:
    made = sibling("mixtral-8x7b")
    weights = {n: lazy(a) for n, a in random_weights(made.whole).items()}
    losses = emit(made.files, weights, tmp_path, target=experts(4)).losses
    maps = {f"h.0.mlp.experts.{e}.{name}" for e in range(8) for name in ("gate_up", "down")}
    assert losses.keys() == maps
    assert all(0.01 < loss.relative < 0.2 for loss in losses.values())
