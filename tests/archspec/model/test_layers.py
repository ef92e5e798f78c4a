"""Sub-layers: norms and their places, factors, dropout, parallel mixers."""

import pytest

from archspec.components.norm import Norm
from archspec.model.dropout import DropoutRates
from archspec.model.init import Init
from archspec.model.stack import SubLayer
from tests.archspec.reading import codes, layers, stack

NORM = "defaults: {norm: {layer: 1e-5}, norm_at: pre}\n"
LAYER = Norm(kind="layer", eps=1e-5)
RMS = Norm(kind="rms", eps=1e-6, bias=False)


def sublayer(rest: str, top: str = NORM) -> SubLayer:
    _, found = layers(stack(f"{{a: {{attention: {{heads: 4}}, {rest}}}}}", top=top))
    return found[0].sublayers["a"]


@pytest.mark.parametrize(
    ("rest", "top", "norm", "places"),
    [
        ("", NORM, LAYER, {"pre"}),
        ("", "", None, set()),
        ("norm_at: none", NORM, None, set()),
        ("norm: none", NORM, None, set()),
        ("norm: {rms: 1e-6}", NORM, RMS, {"pre"}),
        ("norm_at: [pre, out]", NORM, LAYER, {"pre", "out"}),
        ("norm_at: post, norm: {rms: 1e-6}", "", RMS, {"post"}),
        ("norm_at: post", "defaults: {norm: {rms: 1e-6}}\n", RMS, {"post"}),
    ],
)
def test_norms(rest: str, top: str, norm: Norm | None, places: set[str]) -> None:
    found = sublayer(rest, top)
    assert found.norm == norm
    assert found.norm_at == frozenset(places)


def test_defaults_of_a_step() -> None:
    found = sublayer("", "")
    assert (found.branch_scale, found.skip_scale, found.layerscale) == (1, 1, None)
    assert (found.dropout, found.init, found.parallel) == (DropoutRates(), Init(), False)
    assert list(found.mixers) == ["a"]


def test_factors() -> None:
    found = sublayer("branch_scale: 1/4, skip_scale: 2, layerscale: 1e-4")
    assert (found.branch_scale, found.skip_scale, found.layerscale) == (0.25, 2, 1e-4)


@pytest.mark.parametrize(
    ("rest", "top", "expected"),
    [
        ("", "defaults: {dropout: 0.1}\n", DropoutRates(residual=0.1, embed=0.1)),
        ("dropout: 0", "defaults: {dropout: {attention: 0.1}}\n", DropoutRates()),
        ("dropout: {hidden: 0.2}", "defaults: {dropout: 0.1}\n", DropoutRates(hidden=0.2)),
        ("dropout: none", "defaults: {dropout: 0.1}\n", DropoutRates()),
    ],
)
def test_dropout(rest: str, top: str, expected: DropoutRates) -> None:
    assert sublayer(rest, top).dropout == expected


def test_init_is_inherited_and_replaced() -> None:
    top = "defaults: {init: {normal: 0.02, residual: depth_scaled}}\n"
    assert sublayer("", top).init == Init("normal", 0.02, True)
    assert sublayer("init: xavier", top).init == Init("xavier")


def test_parallel_mixers_with_norms_of_their_own() -> None:
    branches = (
        "{attn: {attention: {heads: 4}, norm: {rms: 1e-6}}, mlp: {mlp: {hidden: 4, act: relu}}}"
    )
    _, found = layers(stack(f"{{b: {{norm_at: none, parallel: {branches}}}}}", top=NORM))
    both = found[0].sublayers["b"]
    assert both.parallel
    assert both.norm is None
    assert {name: mixer.norm for name, mixer in both.mixers.items()} == {"attn": RMS, "mlp": None}


def test_a_cross_attention_knows_its_source() -> None:
    _, found = layers(
        stack("{c: {attention: {heads: 4, source: tok}}, s: {attention: {heads: 4}}}")
    )
    sources = [sub.mixers[name].source for name, sub in found[0].sublayers.items()]
    assert sources == ["tok", None]


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ("{a: {attention: {heads: 4}, norm: {layer: 1e-5}}}", ["AR0207"]),
        ("{a: {attention: {heads: 4}, norm_at: pre}}", ["AR0207"]),
        ("{a: {attention: {heads: 4}, norm_at: middle}}", ["AR0201"]),
        ("{a: {attention: {heads: 4}, mlp: {hidden: 4, act: relu}}}", ["AR0106"]),
        ("{a: {}}", ["AR0106"]),
        ("{a: {norm: none}}", ["AR0106"]),
        ("{a: attention}", ["AR0104"]),
        ("{a: {attention: none}}", ["AR0106"]),
        ("{a: {linear: {dim: 4}}}", ["AR0408"]),
        ("{a: {ssm: {state: 16}}}", ["AR0103"]),
        ("{a: {attention: {heads: 4}, drop_path: 2}}", ["AR0202"]),
        ("{a: {atention: {heads: 4}}}", ["AR0102"]),
        ("{a: {attention: {heads: 4}, dropout: 2}}", ["AR0202"]),
        ("{a: {attention: {heads: 4}, dropout: {residul: 0}}}", ["AR0102"]),
        ("{a: {attention: {heads: 4}, init: normal}}", ["AR0206"]),
        ("{a: {attention: {heads: 4}, init: {normal: x}}}", ["AR0601"]),
        ("{a: {attention: {heads: 4}, branch_scale: yes}}", ["AR0601"]),
        ("{a: {parallel: {}}}", ["AR0104"]),
        ("{a: {parallel: {b: {norm: {rms: 1e-6}}}}}", ["AR0106"]),
        ("{a: {parallel: {b: {attention: {heads: 4}, dropout: 0}}}}", ["AR0102"]),
        ("{class: {attention: {heads: 4}}}", ["AR0404"]),
        ("[a]", ["AR0104"]),
    ],
)
def test_what_is_refused(layer: str, expected: list[str]) -> None:
    assert codes(stack(layer)) == expected
