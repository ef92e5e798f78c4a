"""Attention: heads, letters, masks and what does not go together."""

import pytest

from archspec.components.attention import Attention
from tests.archspec.reading import codes, component, node

BIAS = "defaults: {bias: true}\n"
MASKED = "ids: tokens, pixels: {image: [3, 32, 32]}, seen: {mask: [T, T]}"


def attention(text: str, top: str = "") -> Attention:
    found = component(f"attention: {{{text}}}", top)
    assert isinstance(found, Attention)
    return found


def test_defaults_are_those_of_the_language() -> None:
    found = attention("heads: 4")
    assert (found.heads, found.kv_heads, found.head_dim, found.value_dim) == (4, 4, None, None)
    assert (found.source, found.mask, found.scale, found.rope) == ("self", "full", None, None)
    assert (found.projections, found.bias) == (frozenset("qkvo"), frozenset())
    assert Attention(heads=4, segments=False) == found


@pytest.mark.parametrize(
    ("written", "default", "expected"),
    [
        ("", BIAS, "qkvo"),
        ("", "", ""),
        ("bias: true", "", "qkvo"),
        ("bias: false", BIAS, ""),
        ("bias: qkv", BIAS, "qkv"),
        ("bias: o", "", "o"),
        ("bias: none", BIAS, "qkvo"),
        ("projections: qkv", BIAS, "qkv"),
        ("projections: none", BIAS, ""),
        ("projections: qk, bias: true", "", "qk"),
    ],
)
def test_biases(written: str, default: str, expected: str) -> None:
    found = attention(f"heads: 4, {written}" if written else "heads: 4", default)
    assert found.bias == frozenset(expected)


def test_a_mask_input_is_an_edge() -> None:
    from tests.archspec.reading import spec

    text = node("attention: {heads: 4, mask: seen}", inputs=MASKED)
    part = spec(text).graph["x"].component
    assert isinstance(part, Attention)
    assert (part.mask, part.mask_edge) == ("edge", "seen")


def test_masks_by_distance_and_by_document() -> None:
    found = attention("heads: 4, window: 2*8, chunk: 64, segments: false, score: dot")
    assert (found.window, found.chunk) == (16, 64)
    assert (found.segments, found.score) == (False, "dot")
    plain = attention("heads: 4, window: none")
    assert (plain.window, plain.chunk, plain.segments, plain.score) == (
        None,
        None,
        False,
        "scaled_dot",
    )


def test_rope_has_its_own_defaults() -> None:
    rope = attention("heads: 4, rope: {}").rope
    assert rope is not None
    assert (rope.theta, rope.fraction, rope.dim, rope.pairs) == (10000, 1, None, "halves")


@pytest.mark.parametrize(("head_dim", "fraction"), [(100, 0.14), (80, 0.4), (40, 0.35)])
def test_a_share_is_whole_whatever_its_floating_point(head_dim: int, fraction: float) -> None:
    rope = attention(f"heads: 4, head_dim: {head_dim}, rope: {{fraction: {fraction}}}").rope
    assert rope is not None
    assert rope.turning(head_dim) == round(head_dim * fraction)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("heads: 6, kv_heads: 4", ["AR0214"]),
        ("heads: 4, kv_heads: 8", ["AR0214"]),
        ("heads: 0", ["AR0202"]),
        ("heads: -1", ["AR0202"]),
        ("heads: true", ["AR0104"]),
        ("heads: four", ["AR0601"]),
        ("heads: 4, bias: qq", ["AR0204"]),
        ("heads: 4, bias: 1", ["AR0204"]),
        ("heads: 4, projections: qk, bias: v", ["AR0205"]),
        ("heads: 4, mask: pixels", ["AR0201"]),
        ("heads: 4, mask_edge: seen", ["AR0102"]),
        ("heads: 4, scale: 0", ["AR0202"]),
        ("heads: 4, rope: {fraction: 0}", ["AR0202"]),
        ("heads: 4, rope: {theta: 1e-300}", ["AR0202"]),
        ("heads: 4, clip_qkv: 1e300", ["AR0202"]),
        ("heads: 4, scale: -1e39", ["AR0202"]),
        ("heads: 4, rope: {fraction: 0.5, dim: 2}", ["AR0206"]),
        ("heads: 4, head_dim: 8, rope: {dim: 16}", ["AR0210"]),
        ("heads: 4, head_dim: 7, rope: {}", ["AR0210"]),
        ("heads: 4, head_dim: 10, rope: {fraction: 0.5}", ["AR0210"]),
        ("heads: 4, source: tok, rope: {}", ["AR0211"]),
        ("heads: 4, source: tok, mask: causal", ["AR0211"]),
        ("heads: 4, source: nowhere", ["AR0401"]),
        ("heads: 4, window: 0", ["AR0202"]),
        ("heads: 4, chunk: -1", ["AR0202"]),
        ("heads: 4, source: tok, window: 2", ["AR0211"]),
        ("heads: 4, source: tok, chunk: 2, mask: causal", ["AR0211", "AR0211"]),
        ("heads: 4, score: dot, scale: 2", ["AR0108"]),
        ("heads: 4, score: additive, scale: 2", ["AR0108"]),
        ("heads: 4, score: dotted", ["AR0201"]),
        ("heads: 4, mask: causal, prefix: ids", ["AR0220"]),
        ("heads: 4, prefix: ids", ["AR0108"]),
        ("heads: 4, segments: 2", ["AR0104"]),
        ("heads: 4, segments: true", ["AR0411"]),
        ("heads: 4, latent: {kv_rank: 4}", ["AR0101"]),
        ("heads: 4, rope: {axes: 2}", ["AR0103"]),
        ("hads: 4", ["AR0102"]),
        ("hads: 4, kv_heads: 0", ["AR0102", "AR0202"]),
        ("{}", ["AR0101"]),
    ],
)
def test_what_is_refused(written: str, expected: list[str]) -> None:
    body = written if written == "{}" else f"{{{written}}}"
    assert sorted(codes(node(f"attention: {body}"))) == expected
