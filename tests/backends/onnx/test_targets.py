"""What ONNX Runtime's own operators take over, and that it computes the same."""

import operator
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from compiler.backends.onnx import emit
from compiler.backends.onnx.listing import Step
from compiler.backends.onnx.walk import unrolled
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.target import Target
from compiler.runtime.opening import open_session
from compiler.verify.module import build as module
from compiler.verify.module import shake
from compiler.verify.parity import parity
from compiler.verify.rounding import eased
from tests.backends.onnx.built import (
    Array,
    as_loaded,
    build,
    compiled,
    lazy,
    random_weights,
    single,
)
from tests.backends.onnx.operator_cases import CASES
from tests.backends.onnx.test_operators import inputs_of, types_of
from tests.generated.samples import small

CPU: Final = Target("cpu")
CUDA: Final = Target("cuda", "fp16")
OWN: Final[Mapping[str, Mapping[str, int]]] = {
    # GPT-2: two norms a layer, of which the very first is of an embedding's sum; and the last.
    "decoder/gpt2": {"Sum": 4, "LayerNormalization": 5, "FastGelu": 2},
    # Llama: the first norm is of no sum; two a layer and the last one.
    "decoder/llama3-8b": {
        "SimplifiedLayerNormalization": 1,
        "SkipSimplifiedLayerNormalization": 4,
        "QuickGelu": 2,
    },
    # BERT: norms behind the sums, and one behind the embeddings.
    "encoder/bert-base": {"Sum": 5, "LayerNormalization": 5, "BiasGelu": 2},
    # Both branches of a layer read one norm, or a norm each, of the same sum.
    "decoder/falcon-7b": {"Sum": 4, "LayerNormalization": 3, "Gelu": 2},
    "decoder/gpt-neox-20b": {"Sum": 4, "LayerNormalization": 5, "BiasGelu": 2},
    # Norms of branches and not of sums.
    "decoder/olmo2-7b": {"SkipSimplifiedLayerNormalization": 1, "QuickGelu": 2},
    # A gate of its own slope.
    "decoder/gpt-oss-20b": {"SkipSimplifiedLayerNormalization": 4},
    # Two towers with two activations.
    "multimodal/clip-b32": {"QuickGelu": 4},
    "encoder-decoder/t5-v1.1-small": {"SkipSimplifiedLayerNormalization": 10, "FastGelu": 4},
    "encoder-decoder/whisper-tiny": {"BiasGelu": 4, "MultiHeadAttention": 4},
    "vision/vit-b16-mean": {"BiasGelu": 2, "Attention": 2},
}
"""What norms, activations and attention become on a CPU, in small siblings of two layers."""
TOGETHER: Final[Mapping[str, int]] = {
    "decoder/gpt2": 4,
    "encoder/bert-base": 5,
    "decoder/falcon-7b": 2,
    "decoder/gpt-neox-20b": 2,
}
"""Nodes of CUDA that make a layer norm together with the sum that it is of."""


@cache
def steps(name: str, target: Target) -> tuple[Step, ...]:
    return tuple(unrolled(small(f"specs/{name}.yaml").whole, target).flat())


@pytest.mark.parametrize("name", OWN)
def test_the_fused_operators_are_there(name: str) -> None:
    found = Counter(step.kind for step in steps(name, CPU))
    assert {kind: found[kind] for kind in OWN[name]} == dict(OWN[name])


@pytest.mark.parametrize("name", TOGETHER)
def test_cuda_makes_a_layer_norm_with_its_sum(name: str) -> None:
    kinds = Counter(step.kind for step in steps(name, CUDA))
    assert kinds["SkipLayerNormalization"] == TOGETHER[name]
    assert not kinds["Sum"]


@pytest.mark.parametrize("name", TOGETHER)
def test_the_runtime_leaves_sums_and_layer_norms_apart(name: str, tmp_path: Path) -> None:
    """It has a slow kernel for both at once, and makes one node of any `Add` and the norm of it."""
    program = small(f"specs/{name}.yaml").whole
    given = {n: lazy(array) for n, array in random_weights(program).items()}
    emit({"model": program}, given, tmp_path, target=CPU)
    kinds = Counter(node.op_type for node in as_loaded(tmp_path).node)
    assert not kinds["SkipLayerNormalization"]
    assert {kind: kinds[kind] for kind in ("Sum", "LayerNormalization")} == {
        kind: OWN[name][kind] for kind in ("Sum", "LayerNormalization")
    }


@pytest.mark.parametrize("name", OWN)
def test_the_numbers_are_those_of_torch(name: str) -> None:
    made = small(f"specs/{name}.yaml")
    model = module(made.generated)
    shake(model)
    found = eased(parity(made, model, CPU), made, model)
    assert found.ok, found


@pytest.mark.parametrize("name", OWN)
def test_what_was_replaced_is_gone(name: str) -> None:
    """No product with a sigmoid, no bias before an activation that takes it, no sum that a norm's
    node makes."""
    found = steps(name, CPU)
    makers = {value: step for step in found for value in step.made}
    sums = {step.outputs[3] for step in found if len(step.outputs) > 1 and "Skip" in step.kind}
    read = {value for step in found for value in step.read}
    assert sums <= read, "a sum that nobody needs is written"
    for step in found:
        kinds = {makers[value].kind for value in step.read if value in makers}
        assert step.kind != "Mul" or "Sigmoid" not in kinds
        if step.kind in ("BiasGelu", "FastGelu"):
            assert "Add" not in kinds


def test_the_next_step_reads_the_sum_from_the_norm() -> None:
    found = steps("decoder/llama3-8b", CPU)
    norms = [step for step in found if step.kind == "SkipSimplifiedLayerNormalization"]
    for before, after in pairwise(norms):
        assert after.inputs[0] == before.outputs[3]
    assert not [step for step in found if step.name.startswith("/h/") and step.kind == "Add"]
    assert norms[-1].outputs == (norms[-1].name,)


def test_a_bias_before_a_sum_is_the_norms() -> None:
    found = steps("decoder/gpt2", CUDA)
    norms = [step for step in found if step.kind == "SkipLayerNormalization"]
    assert [step.inputs[4] for step in norms] == [
        f"h.{layer}.{name}.bias" for layer in range(2) for name in ("attn.o", "mlp.down")
    ]


def test_portable_files_have_standard_operators_alone() -> None:
    for name in OWN:
        assert {step.domain for step in steps(name, Target())} == {""}


def alone(name: str) -> Program:
    """A program that is one operator; its outputs are `y0`, `y1` and so on."""
    case = CASES[name]
    types = types_of(case)
    results = len(case.operator.infer(types, Letters()))
    return single(case.operator, types, Letters(), [f"y{port}" for port in range(results)])


def forms(name: str) -> tuple[list[Step], list[Step]]:
    """The steps of one operator, portable and on a CPU."""
    plain, own = (list(unrolled(alone(name), target).flat()) for target in (Target(), CPU))
    return plain, own


REPLACED = [name for name in CASES if operator.ne(*forms(name))]


def test_products_activations_and_norms_are_replaced() -> None:
    kinds = {step.kind for name in REPLACED for step in forms(name)[1]}
    assert kinds >= {"FusedMatMul", "SimplifiedLayerNormalization"}
    assert kinds >= {"FastGelu", "Gelu", "QuickGelu"}


@pytest.mark.parametrize("name", REPLACED)
def test_an_operator_of_a_target_computes_the_same(name: str, tmp_path: Path) -> None:
    program = alone(name)
    weights = random_weights(program)
    (tmp_path / "own").mkdir()
    sources = {name: lazy(array) for name, array in weights.items()}
    emit({"model": program}, sources, tmp_path / "own", target=CPU)
    session = open_session(tmp_path / "own", threads=1, device="cpu")
    built = build(program, weights, tmp_path)
    for sizes in ({"B": 1, "T": 1, "S": 3}, {"B": 3, "T": 5, "S": 2}):
        given = inputs_of(CASES[name], sizes, np.random.default_rng(7))
        wanted, found = built.run(**given), session.run(given)
        for output in program.main.outputs:
            np.testing.assert_allclose(found[output], wanted[output], atol=2e-6, rtol=2e-6)


def test_a_sum_that_is_read_before_its_norm_stays(tmp_path: Path) -> None:
    """y = (x + x·W) and then both y·V and norm(y): the norm comes last, and the sum stays."""
    spec: dict[str, Any] = {
        "name": "early",
        "inputs": {"x": {"features": ["T", 4]}},
        "defaults": {"norm": {"layer": 1e-5}, "norm_at": "none"},
        "graph": {
            "h": {"stack": {"repeat": 1, "layer": {"mlp": {"mlp": {"hidden": 8, "act": "relu"}}}}}
            | {"in": "x"},
            "early": {"linear": {"dim": 4}, "in": "h"},
            "late": {"norm": {"layer": 1e-5}, "in": "h"},
        },
        "outputs": ["early", "late"],
    }
    program = compiled(spec)
    kinds = Counter(step.kind for step in unrolled(program, CUDA).flat())
    assert (kinds["Add"], kinds["LayerNormalization"]) == (1, 1)
    assert not kinds["SkipLayerNormalization"]
    weights = random_weights(program)
    emit({"model": program}, {n: lazy(a) for n, a in weights.items()}, tmp_path, target=CPU)
    x = np.random.default_rng(3).normal(size=(2, 5, 4)).astype("f4")
    found = open_session(tmp_path, threads=1, device="cpu").run({"x": x})
    h = x + np.maximum(x @ weights["h.0.mlp.up.weight"].T, 0) @ weights["h.0.mlp.down.weight"].T
    np.testing.assert_allclose(found["early"], h @ weights["early.weight"].T, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found["late"], _norm(h, weights), rtol=1e-5, atol=1e-5)


def _norm(h: Array, weights: Mapping[str, Array]) -> Array:
    centred = h - h.mean(-1, keepdims=True)
    found: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return found * weights["late.weight"] + weights["late.bias"]
