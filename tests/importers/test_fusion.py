from pathlib import Path

import numpy as np

from compiler.importers.checkpoint import Checkpoint
from compiler.importers.fill import Filled, fill
from compiler.importers.fusion import Fusion, canonical_rules, fuse
from tests.importers.samples import counted, held

FUSION = Fusion("attn.qkv", ("attn.q", "attn.k", "attn.v"))


def test_a_fusion_stands_where_its_first_part_was() -> None:
    parts = {
        f"attn.{part}.{kind}": counted(2, 3) + n
        for kind in ("weight", "bias")
        for n, part in enumerate("qkv")
    }
    fused = fuse(held({"a.weight": counted(1), **parts, "z.weight": counted(1)}), [FUSION])
    assert list(fused) == ["a.weight", "attn.qkv.weight", "attn.qkv.bias", "z.weight"]
    wanted = np.concatenate([parts[f"attn.{part}.weight"] for part in "qkv"])
    np.testing.assert_array_equal(fused["attn.qkv.weight"].read(), wanted)


def test_parts_without_all_the_others_stay_as_they_are() -> None:
    names = ["attn.q.bias", "attn.v.bias", "attn.q.weight", "attn.k.weight", "attn.v.weight"]
    fused = fuse(held({name: counted(2) for name in names}), [FUSION])
    assert list(fused) == ["attn.q.bias", "attn.v.bias", "attn.qkv.weight"]


def test_canonical_rules_read_a_fusion_only_where_all_parts_are_parameters() -> None:
    shapes = {
        "attn.q.weight": (2,),
        "attn.k.weight": (2,),
        "attn.v.weight": (2,),
        "attn.q.bias": (2,),
    }
    rules = canonical_rules(shapes, [FUSION])
    assert rules.find("attn.qkv.weight") is not None
    assert rules.find("attn.qkv.bias") is None
    assert rules.find("attn.q.bias") is not None


EXPERTS = Fusion("mlp.experts.up", ("mlp.experts.{j}.gate", "mlp.experts.{j}.up"))


def experts(count: int) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    return {
        f"mlp.experts.{j}.{part}.{kind}": counted(*shape) + 100 * j + 10 * n
        for kind, shape in (("weight", (2, 3)), ("bias", (2,)))
        for n, part in enumerate(("gate", "up"))
        for j in range(count)
    }


def test_parts_of_every_expert_are_joined_and_then_stacked() -> None:
    parts = experts(11)
    fused = fuse(held(parts), [EXPERTS])
    assert list(fused) == ["mlp.experts.up.weight", "mlp.experts.up.bias"]
    for kind, shape in (("weight", (11, 4, 3)), ("bias", (11, 4))):
        whole = fused[f"mlp.experts.up.{kind}"]
        assert whole.shape == shape
        streamed = np.concatenate(list(whole.pieces(5))).reshape(shape)
        for j in range(11):
            names = [f"mlp.experts.{j}.{part}.{kind}" for part in ("gate", "up")]
            wanted = np.concatenate([parts[name] for name in names])
            np.testing.assert_array_equal(whole.read()[j], wanted)
            np.testing.assert_array_equal(whole.member(j).read(), wanted)
            np.testing.assert_array_equal(streamed[j], wanted)


def test_a_stack_ends_before_the_first_expert_that_is_not_whole() -> None:
    parts = experts(3)
    del parts["mlp.experts.1.up.weight"]
    fused = fuse(held(parts), [EXPERTS])
    assert fused["mlp.experts.up.weight"].shape == (1, 4, 3)
    assert "mlp.experts.2.gate.weight" in fused
    assert fused["mlp.experts.up.bias"].shape == (3, 4)


def test_a_stack_goes_apart_into_its_experts() -> None:
    parts = experts(3)
    shapes = {name: array.shape for name, array in parts.items()}
    whole = fuse(held(parts), [EXPERTS])
    found = fill(shapes, Checkpoint(Path("m.safetensors"), whole), fusions=[EXPERTS])
    assert isinstance(found, Filled), found
    assert list(found.sources) == list(parts)
    for name, array in parts.items():
        np.testing.assert_array_equal(found.sources[name].read(), array)


def test_a_stack_with_another_number_of_experts_is_refused() -> None:
    shapes = {name: array.shape for name, array in experts(3).items()}
    for count in (2, 4):
        whole = fuse(held(experts(count)), [EXPERTS])
        found = fill(shapes, Checkpoint(Path("m.safetensors"), whole), fusions=[EXPERTS])
        assert isinstance(found, tuple)
        assert {problem.code for problem in found} <= {"AR0708", "AR0709"}
