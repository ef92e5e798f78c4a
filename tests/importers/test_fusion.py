import numpy as np

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
