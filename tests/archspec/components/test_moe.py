"""Mixtures of experts: defaults, inherited biases, routers, what does not go together."""

import pytest

from archspec.components.aux_loss import AuxLoss
from archspec.components.moe import Moe
from archspec.components.router import Router
from tests.archspec.reading import codes, component, layers, node, stack

PLAIN = "experts: 8, top_k: 2, expert: {hidden: 64, act: silu}"
BIAS = "defaults: {bias: true}\n"


def moe(text: str, top: str = "") -> Moe:
    found = component(f"moe: {{{text}}}", top)
    assert isinstance(found, Moe)
    return found


def test_defaults_are_those_of_the_language() -> None:
    found = moe(PLAIN)
    assert (found.experts, found.top_k, found.expert.hidden) == (8, 2, 64)
    assert (found.expert.gated, found.expert.bias) == (False, False)
    assert found.router == Router(
        score="softmax", after_topk="none", renorm=False, bias=False, aux_loss=None
    )


@pytest.mark.parametrize(
    ("written", "top", "biased"),
    [
        ("", "", False),
        ("", BIAS, True),
        (", bias: false", BIAS, False),
        (", bias: true", "", True),
        (", bias: none", BIAS, True),
    ],
)
def test_experts_inherit_the_bias_and_routers_never(written: str, top: str, biased: bool) -> None:
    found = moe(f"experts: 8, top_k: 2, expert: {{hidden: 64, act: silu{written}}}", top)
    assert found.expert.bias == biased
    assert not found.router.bias
    both = moe(f"{PLAIN}, shared: {{hidden: 4, act: silu{written}}}", top)
    assert both.shared is not None
    assert (both.shared.bias, both.shared.token_gate) == (biased, False)


def test_a_sublayer_inherits_too() -> None:
    _, (layer, *_) = layers(stack(f"{{m: {{moe: {{{PLAIN}}}}}}}", top=BIAS))
    found = layer.sublayers["m"].mixers["m"].component
    assert isinstance(found, Moe)
    assert found.expert.bias


def test_losses_have_weights() -> None:
    found = moe(f"{PLAIN}, router: {{aux_loss: {{balance: 0.01}}}}")
    assert found.router.aux_loss == AuxLoss(balance=0.01, z=0.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("experts: 2, top_k: 3, expert: {hidden: 4, act: silu}", ["AR0216"]),
        ("experts: 0, top_k: 1, expert: {hidden: 4, act: silu}", ["AR0202"]),
        ("experts: 2, top_k: 0, expert: {hidden: 4, act: silu}", ["AR0202"]),
        ("experts: 2, top_k: 1", ["AR0101"]),
        ("experts: 2, top_k: 1, expert: {hidden: 4}", ["AR0101"]),
        ("experts: 2, topk: 1, expert: {hidden: 4, act: silu}", ["AR0102"]),
        ("experts: 2, top_k: 1, expert: 4", ["AR0104"]),
        (f"{PLAIN}, shared: {{hidden: 4, act: silu}}", []),
        (f"{PLAIN}, shared: {{hidden: 4, act: silu, token_gate: 1}}", ["AR0104"]),
        (f"{PLAIN}, shared: {{act: silu}}", ["AR0101"]),
        (f"{PLAIN}, shared: none", []),
        (f"{PLAIN}, router: {{score: sigmoid}}", []),
        (f"{PLAIN}, router: {{score: none, after_topk: sigmoid, weigh: input}}", []),
        (f"{PLAIN}, router: {{capacity: 1.25, jitter: 0.01}}", []),
        (f"{PLAIN}, router: {{capacity: 0}}", ["AR0202"]),
        (f"{PLAIN}, router: {{jitter: 2}}", ["AR0202"]),
        (f"{PLAIN}, router: {{capacity: 1.25, weigh: input}}", ["AR0108"]),
        (f"{PLAIN}, router: {{groups: 4, top_groups: 1}}", []),
        (f"{PLAIN}, router: {{groups: 4, top_groups: 4, group_score: top2}}", []),
        (f"{PLAIN}, router: {{groups: 3, top_groups: 1}}", ["AR0250"]),
        (f"{PLAIN}, router: {{groups: 4, top_groups: 5}}", ["AR0250"]),
        (f"{PLAIN}, router: {{groups: 8, top_groups: 1}}", ["AR0250"]),
        (f"{PLAIN}, router: {{groups: 8, top_groups: 2, group_score: top2}}", ["AR0250"]),
        (f"{PLAIN}, router: {{groups: 4}}", ["AR0251"]),
        (f"{PLAIN}, router: {{top_groups: 4}}", ["AR0251"]),
        (f"{PLAIN}, router: {{group_score: top2}}", ["AR0251"]),
        (f"{PLAIN}, router: {{renorm_eps: 1e-20}}", ["AR0251"]),
        (f"{PLAIN}, router: {{score: none}}", ["AR0108"]),
        (f"{PLAIN}, router: {{score: none, after_topk: softmax}}", []),
        (f"{PLAIN}, router: {{score: hard}}", ["AR0201"]),
        (f"{PLAIN}, router: {{aux_loss: {{balance: -1}}}}", ["AR0202"]),
        (f"{PLAIN}, router: {{aux_loss: {{load: 1}}}}", ["AR0102"]),
        (f"{PLAIN}, router: none", []),
    ],
)
def test_what_is_refused(text: str, expected: list[str]) -> None:
    assert codes(node(f"moe: {{{text}}}")) == expected


def test_a_patch_may_leave_the_word_out() -> None:
    text = stack(f"{{m: {{moe: {{{PLAIN}}}}}}}")
    _, (layer, *_) = layers(text, "h.layer.m.top_k=3", "h.layer.m.expert.gated=true")
    found = layer.sublayers["m"].mixers["m"].component
    assert isinstance(found, Moe)
    assert (found.top_k, found.expert.gated) == (3, True)


def test_a_patch_reaches_the_shared_network_and_takes_it_away() -> None:
    body = f"{PLAIN}, shared: {{hidden: 4, act: silu}}"
    text = stack(f"{{m: {{moe: {{{body}}}}}}}")
    for patch, wanted in (("shared.token_gate=true", True), ("shared=none", None)):
        _, (layer, *_) = layers(text, f"h.layer.m.{patch}")
        found = layer.sublayers["m"].mixers["m"].component
        assert isinstance(found, Moe)
        assert (found.shared and found.shared.token_gate) == wanted
