"""Stacks: which layer stands where, and which layers are the same."""

import pytest

from archspec.components.attention import Attention
from archspec.model.stacks import MAX_KINDS
from tests.archspec.reading import HEAD, TOK, codes, layers, stack

ATTN = "{attn: {attention: {heads: 4}}}"


def heads(text: str) -> list[int]:
    _, found = layers(text)
    parts = [layer.sublayers["attn"].mixers["attn"].component for layer in found]
    return [part.heads for part in parts if isinstance(part, Attention)]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("", [4, 4, 4, 4]),
        ("cycle: [{}, {attn.heads: 2}]", [4, 2, 4, 2]),
        ("cycle: [{attn.heads: 1}, {attn.heads: 2}, {}]", [1, 2, 4, 1]),
        ("cycle: [{times: 3, patch: {attn.heads: 1}}, {}]", [1, 1, 1, 4]),
        ("at: {0: {attn.heads: 1}, -1: {attn.heads: 2}}", [1, 4, 4, 2]),
        ("at: {1..3: {attn.heads: 2}}", [4, 2, 2, 4]),
        ("at: {-2..4: {attn.heads: 2}}", [4, 4, 2, 2]),
        ("at: {n..n+1: {attn.heads: 2}}", [4, 2, 4, 4]),
        ("cycle: [{attn.heads: 1}], at: {2: {attn.heads: 2}}", [1, 1, 2, 1]),
        ("at: {0..4: {attn.heads: 1}, 1: {attn.heads: 2}}", [1, 2, 1, 1]),
        ("at: {3: {attn.attention.heads: 2}}", [4, 4, 4, 2]),
        ("at: {3: {attn: {attention: {heads: 8}}}}", [4, 4, 4, 8]),
    ],
)
def test_patches_by_layer(rest: str, expected: list[int]) -> None:
    assert heads(stack(ATTN, rest, "dims: {n: 1}\n")) == expected


def test_equal_layers_are_one_variant() -> None:
    found, _ = layers(stack(ATTN, "cycle: [{}, {attn.heads: 2}], at: {3: {attn.heads: 4}}"))
    assert (len(found.variants), found.order) == (2, (0, 1, 0, 0))


def test_a_thousand_layers_are_read_once() -> None:
    found, _ = layers(stack(ATTN, repeat="1000"))
    assert (len(found.variants), len(found.order), found.repeat) == (1, 1000, 1000)


def test_a_sublayer_is_added_at_the_end_or_dropped() -> None:
    rest = "at: {1: {mlp: {mlp: {hidden: 4, act: relu}}}, 2: {attn: none, x: {conv: {kernel: 3}}}}"
    _, found = layers(stack(ATTN, rest))
    assert [list(layer.sublayers) for layer in found] == [
        ["attn"],
        ["attn", "mlp"],
        ["x"],
        ["attn"],
    ]


def test_shared_layers() -> None:
    found, _ = layers(stack(ATTN, "share: true"))
    assert found.share
    assert codes(stack(ATTN, "share: true, at: {0: {attn.heads: 1}}")) == ["AR0507"]
    assert codes(stack(ATTN, "share: true, at: {0: {attn.heads: 4}}")) == []


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("at: {4: {attn.heads: 1}}", ["AR0505"]),
        ("at: {-5: {attn.heads: 1}}", ["AR0505"]),
        ("at: {0..5: {attn.heads: 1}}", ["AR0505"]),
        ("at: {2..2: {attn.heads: 1}}", ["AR0506"]),
        ("at: {x: {attn.heads: 1}}", ["AR0601"]),
        ("at: {0: {atn.heads: 1}}", ["AR0501"]),
        ("at: {0: {attn.hads: 1}}", ["AR0102"]),
        ("at: {0: {attn: {heads: 1}}}", ["AR0102"]),
        ("at: {0: {more: 1}}", ["AR0501"]),
        ("at: {0: 3}", ["AR0104"]),
        ("at: [3]", ["AR0104"]),
        ("cycle: {}", ["AR0104"]),
        ("cycle: []", ["AR0104"]),
        ("cycle: [3]", ["AR0104"]),
        ("cycle: [{times: 0, patch: {}}]", ["AR0202"]),
        ("share: 1", ["AR0104"]),
        ("repeats: 1", ["AR0102"]),
    ],
)
def test_what_is_refused(rest: str, expected: list[str]) -> None:
    assert codes(stack(ATTN, rest)) == expected


@pytest.mark.parametrize("repeat", ["0", "-1", "2.5", "1e9", "10**12", "x", "none", "[1]"])
def test_numbers_of_layers_that_are_none(repeat: str) -> None:
    assert len(codes(stack(ATTN, repeat=repeat))) == 1


def test_a_stack_has_only_so_many_kinds_of_layers() -> None:
    layer = "{m: {mlp: {hidden: 4, act: relu}}}"

    def text(kinds: int) -> str:
        places = ", ".join(f"{i}: {{m.hidden: {i + 1}}}" for i in range(kinds))
        node = f"  h: {{stack: {{repeat: 300, layer: {layer}, at: {{{places}}}}}}}\n"
        return f"{HEAD}{TOK}{node}"

    assert codes(text(MAX_KINDS)) == []
    assert codes(text(300)) == ["AR0202"]
