"""Mixtures of SwiGLUs as one node, whatever their router: what torch computes."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import archspec
from compiler.backends.onnx.data import Sources
from compiler.backends.onnx.listing import Element, Weight
from compiler.backends.onnx.walk import unrolled
from compiler.ir.integers import Integers, Rounding
from compiler.ir.target import Choice, Target
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build, shake
from compiler.verify.parity import parity
from compiler.verify.rounding import eased
from tests.backends.onnx.built import lazy
from tests.generated.samples import small
from tests.shipped import ROOT

CUDA = Target("cuda")
ROUTERS = {
    "decoder/mixtral-8x7b": "shares of the chosen that add up to one",
    "decoder/olmoe-1b-7b": "shares of all, which do not",
    "decoder/gpt-oss-20b": "a softmax of the chosen; biases, limits and a slope",
    "decoder/qwen1.5-moe-a2.7b": "a shared expert beside",
    "decoder/deepseek-v3": "sigmoids, groups, a correction and a factor",
}


@pytest.mark.parametrize("name", ROUTERS)
def test_one_node_computes_what_torch_does(name: str) -> None:
    """The file for a device, whose node the CPU has a kernel for in float32 too."""
    made = small(f"specs/{name}.yaml")
    kinds = Counter(step.kind for step in unrolled(made.whole, CUDA).flat())
    assert kinds["MoE"] > 0
    model = build(made.generated)
    shake(model)
    found = eased(parity(made, model, CUDA), made, model)
    assert found.ok, found


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("decoder/mixtral-8x7b", Target()),
        ("decoder/mixtral-8x7b", Target("cpu")),
        ("decoder/mixtral-8x7b", Target("cuda", "int4")),
        ("history/13-mixture-of-experts", CUDA),
    ],
    ids=["portable", "cpu", "integers", "not gated"],
)
def test_elsewhere_every_expert_has_products_of_its_own(name: str, target: Target) -> None:
    kinds = {step.kind for step in unrolled(small(f"specs/{name}.yaml").whole, target).flat()}
    assert "MoE" not in kinds and "Split" in kinds


@pytest.mark.parametrize(("width", "node"), [(96, True), (100, False), (8, False)])
def test_the_node_takes_whole_lines(width: int, node: bool) -> None:
    """CUDA's refuses others when it runs."""
    sizes = ("vocab=90", "n_layers=1", "d_model=64", "n_heads=4", "n_kv_heads=2", f"d_ff={width}")
    made = compiled(archspec.load(ROOT / "specs/decoder/mixtral-8x7b.yaml", set=sizes))
    assert isinstance(made, Compiled)
    kinds = {step.kind for step in unrolled(made.whole, Target("cuda", "bf16")).flat()}
    assert ("MoE" in kinds) == node and ("Split" in kinds) != node


@pytest.mark.parametrize(
    ("rounding", "width", "node"),
    [("fitted", 192, True), ("zero-point", 192, False), ("zero-point", 256, True)],
)
def test_zeros_of_every_expert_fill_their_bytes(rounding: Rounding, width: int, node: bool) -> None:
    """CUDA's node goes on within a byte from one expert to the next."""
    sizes = ("vocab=90", "n_layers=1", "d_model=128", "n_heads=4", "n_kv_heads=2", f"d_ff={width}")
    made = compiled(archspec.load(ROOT / "specs/decoder/mixtral-8x7b.yaml", set=sizes))
    assert isinstance(made, Compiled)
    target = Target("cuda", "int4", choices=(Choice("*", Integers(4, 64, rounding)),))
    kinds = {step.kind for step in unrolled(made.whole, target).flat()}
    assert ("QMoE" in kinds) == node and ("Split" in kinds) != node


def test_a_choice_of_floats_for_experts_is_for_a_device_too() -> None:
    target = Target("cuda", "int4", choices=(Choice("*.experts.*", None),))
    listing = unrolled(small("specs/decoder/mixtral-8x7b.yaml").whole, target)
    assert "MoE" in {step.kind for step in listing.flat()}
    assert any(target.choices[0].fits(path) for path in listing.matrices)


@pytest.mark.parametrize("apart", [False, True], ids=["stacked", "apart"])
def test_rows_of_gate_and_up_take_turns(apart: bool) -> None:
    stack = np.arange(2 * 6 * 3, dtype="f4").reshape(2, 6, 3)
    weight = Weight("experts.gate_up.weight.woven", "experts.gate_up.weight", (2, 6, 3), woven=2)
    held = {f"experts.{j}.gate_up.weight": lazy(stack[j]) for j in range(2)}
    sources = Sources(held if apart else {"experts.gate_up.weight": lazy(stack)})
    sources.check(weight)
    found = sources.read(weight)
    assert np.array_equal(found[:, 0::2], stack[:, :3])
    assert np.array_equal(found[:, 1::2], stack[:, 3:])
    half = sources.read(replace(weight, element=Element.bfloat16))
    assert np.array_equal((half.astype("u4") << 16).view("f4"), found)
    with pytest.raises(ValueError, match="is \\(6, 3\\), not \\(8, 3\\)"):
        sources.check(Weight("w", "experts.gate_up.weight", (2, 8, 3), woven=2))
