"""Blocks: parameters like sizes, patches of a use, whole layers replaced."""

import pytest

from archspec.components.attention import Attention
from archspec.components.mlp import Mlp
from archspec.model.stack import Layer
from tests.archspec.reading import codes, layers, stack

TOP = """\
dims: {heads: 2, w: 32}
blocks:
  tower:
    params: {n: 4, wide: 2*w}
    layer: {attn: {attention: {heads: n}}, mlp: {mlp: {hidden: 4*wide, act: relu}}}
"""


def sizes(layer: Layer) -> tuple[int, int]:
    attn = layer.sublayers["attn"].mixers["attn"].component
    mlp = layer.sublayers["mlp"].mixers["mlp"].component
    assert isinstance(attn, Attention)
    assert isinstance(mlp, Mlp)
    return attn.heads, mlp.hidden


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("{use: tower}", (4, 256)),
        ("{use: tower, with: {n: 8}}", (8, 256)),
        ("{use: tower, with: {n: heads, wide: w}}", (2, 128)),
        ("{use: tower, set: {attn.heads: heads}}", (2, 256)),
        ("{use: tower, with: {wide: 1}, set: {mlp.hidden: w}}", (4, 32)),
    ],
)
def test_uses(use: str, expected: tuple[int, int]) -> None:
    _, found = layers(stack(use, top=TOP))
    assert sizes(found[0]) == expected
    assert found[0].block == "tower"


def test_a_patch_of_a_use_sees_the_sizes_outside() -> None:
    """Inside the block `n` is a parameter; at the stack it is a size of the spec."""
    top = TOP.replace("dims: {", "dims: {n: 1, ")
    _, found = layers(stack("{use: tower, with: {n: 2*n}}", "at: {0: {attn.heads: n}}", top))
    assert [sizes(layer)[0] for layer in found] == [1, 2, 2, 2]
    _, found = layers(stack("{use: tower, with: {n: 2*n}}", "", top), "h.layer.attn.heads=4*n")
    assert sizes(found[0])[0] == 4


def test_a_layer_may_be_replaced_by_a_block() -> None:
    _, found = layers(stack("{a: {attention: {heads: 1}}}", "at: {-1: {use: tower}}", TOP))
    assert [list(layer.sublayers) for layer in found] == [["a"]] * 3 + [["attn", "mlp"]]


def test_parameters_can_be_patched() -> None:
    _, found = layers(stack("{use: tower}", top=TOP), "h.layer.with={n: 1}")
    assert sizes(found[0])[0] == 1


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("{use: towr}", ["AR0502"]),
        ("{use: [tower]}", ["AR0502"]),
        ("{use: tower, with: {m: 1}}", ["AR0503"]),
        ("{use: tower, with: {n: x}}", ["AR0601"]),
        ("{use: tower, with: 3}", ["AR0104"]),
        ("{use: tower, sets: {}}", ["AR0102"]),
        ("{use: tower, set: {atn.heads: 1}}", ["AR0501"]),
        ("{use: tower, set: {attn.heads: wide}}", ["AR0601"]),
        ("{use: tower, with: {n: 0}}", ["AR0202"]),
    ],
)
def test_what_is_refused(use: str, expected: list[str]) -> None:
    assert codes(stack(use, top=TOP)) == expected


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ("{t: {params: {}}}", ["AR0101"]),
        ("{t: {layer: 3}}", ["AR0101"]),
        ("{t: 3}", ["AR0104"]),
        ("[t]", ["AR0104"]),
        ("{t: {layer: {a: {attention: {heads: 1}}}, prams: {}}}", ["AR0102"]),
        ("{class: {layer: {a: {attention: {heads: 1}}}}}", ["AR0404"]),
    ],
)
def test_definitions_that_are_none(blocks: str, expected: list[str]) -> None:
    assert codes(stack("{a: {attention: {heads: 1}}}", top=f"blocks: {blocks}\n")) == expected
