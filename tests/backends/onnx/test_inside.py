"""What `GroupQueryAttention` does itself, in the file; `test_seen` holds the numbers to torch."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from compiler.backends.onnx import MODEL, emit
from compiler.backends.onnx.listing import Step
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.ops import rope_angles
from compiler.passes.served import in_one
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights
from tests.backends.onnx.built import as_loaded
from tests.backends.onnx.seen_cases import (
    ALIBI,
    CPU,
    INSIDE,
    OUTSIDE,
    ROPE,
    compiled,
    layers,
)
from tests.verify.models import made

NODE = "GroupQueryAttention"


def attentions(name: str, target: Target = CPU) -> tuple[list[Step], set[str]]:
    """The attentions of a decoder in order, and the kinds of all its nodes."""
    steps = list(unrolled(compiled(name).whole, target).flat())
    return [step for step in steps if step.kind == NODE], {step.kind for step in steps}


@pytest.mark.parametrize("name", INSIDE)
def test_heads_are_turned_by_the_attention(name: str) -> None:
    found, kinds = attentions(name)
    assert "RotaryEmbedding" not in kinds and len(found) in (2, 4)
    for step in found:
        assert step.attributes["do_rotary"] == 1
        assert step.attributes.get("rotary_interleaved", 0) == (name == "neighbours turned")
    tables = {step.inputs[7:9] for step in found}
    assert len(tables) == (2 if name == "two bases" else 1)


@pytest.mark.parametrize("name", OUTSIDE)
def test_heads_are_turned_before_it_where_it_cannot(name: str) -> None:
    found, kinds = attentions(name)
    assert "RotaryEmbedding" in kinds
    for step in found:
        assert "do_rotary" not in step.attributes and len(step.inputs) == 7


@pytest.mark.parametrize(
    ("name", "apart"),
    {
        **dict.fromkeys(("turned", "turned with a bias each", "gpt2", "llama3.1-8b"), False),
        **dict.fromkeys(("normed and turned", "turned and normed", "a little turned"), True),
    }.items(),
)
def test_one_product_is_not_taken_apart_before_it(name: str, apart: bool) -> None:
    for step in attentions(name)[0]:
        assert all(step.inputs[1:3]) == apart and any(step.inputs[1:3]) == apart


def test_weights_in_place_are_three_products() -> None:
    steps = list(unrolled(in_one(compiled("turned").program), CPU).flat())
    for step in (each for each in steps if each.kind == NODE):
        assert all(step.inputs[:3]) and step.attributes["do_rotary"] == 1


@pytest.mark.parametrize("name", ["stretched", "stretched and capped"])
def test_what_stretches_queries_and_keys_is_a_factor_of_their_product(name: str) -> None:
    """Peng et al. 2023, section 3.4: sqrt(1/t) = 0.1 ln(s) + 1, of queries and of keys."""
    plain = 0.3 if name == "stretched" else 32**-0.5
    for step in attentions(name)[0]:
        assert step.attributes["scale"] == pytest.approx(plain * (0.1 * np.log(4) + 1) ** 2)


def test_cuda_turns_itself_but_beside_a_bias() -> None:
    found = {}
    for name, more in {"plain": {}, "bias": ALIBI}.items():
        spec = layers({"head_dim": 32, **ROPE, **more}, max=64)
        steps = unrolled(made(spec).whole, Target("cuda", "bf16")).flat()
        found[name] = {step.attributes.get("do_rotary", 0) for step in steps if step.kind == NODE}
    assert found == {"plain": {1}, "bias": {0}}


def test_places_without_a_table_are_turned_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rope_angles, "LARGEST", 64 * 16 - 1)
    steps = unrolled(made(INSIDE["turned"]).whole, CPU).flat()
    assert not any(step.attributes.get("do_rotary") for step in steps)


def test_the_runtime_makes_the_tables_as_it_loads(tmp_path: Path) -> None:
    found = compiled("turned")
    emit(found.files, lazy_weights(build(found.generated).state_dict()), tmp_path, target=CPU)
    before = onnx.load(tmp_path / MODEL, load_external_data=False).graph
    assert "Cos" in {node.op_type for node in before.node}
    assert "Cos" not in {node.op_type for node in as_loaded(tmp_path).node}
