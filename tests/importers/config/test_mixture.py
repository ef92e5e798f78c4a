"""Mixtures of experts out of a config: layers, losses, what is refused."""

from typing import Any

import pytest

from compiler.importers.config.layers import every
from compiler.importers.config.mixture import listed, mixture_sizes, moe
from tests.importers.config.reading import codes, reading

SAID: dict[str, Any] = {
    "vocab_size": 7,
    "hidden_size": 8,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "num_experts": 6,
    "num_experts_per_tok": 2,
    "hidden_act": "silu",
}


def mixture(**said: Any) -> tuple[dict[str, Any], list[str]]:
    """A mixture in two of four layers, and the codes of what was reported."""
    config, report = reading({**SAID, **said})
    dims = mixture_sizes(config)
    found = moe(config, dims, router={"renorm": True}, sparse=[False, True, False, True])
    return found["moe"], codes(report)


def test_experts_go_by_the_names_of_dims() -> None:
    config, _ = reading({**SAID, "moe_intermediate_size": 5})
    dims = mixture_sizes(config, hidden="moe_intermediate_size")
    assert (dims["n_experts"], dims["top_k"], dims["d_ff"], dims["d_expert"]) == (6, 2, 16, 5)
    found = moe(
        config, dims, router={}, sparse=[True] * 4, shared={"hidden": 3, "token_gate": True}
    )
    assert found["moe"] == {
        "experts": "n_experts",
        "top_k": "top_k",
        "expert": {"hidden": "d_expert", "act": "silu", "gated": True},
        "shared": {"hidden": 3, "act": "silu", "gated": True, "token_gate": True},
    }


@pytest.mark.parametrize(
    ("said", "balance"),
    [
        ({"router_aux_loss_coef": 0.02}, None),
        ({"router_aux_loss_coef": 0.02, "output_router_logits": True}, 0.02 * 2 / 2),
        ({"router_aux_loss_coef": 0.0, "output_router_logits": True}, None),
    ],
)
def test_losses_are_there_where_routers_say_their_logits(
    said: dict[str, Any], balance: float | None
) -> None:
    """A mean over two mixtures whose parts of the choices add up to two."""
    found, problems = mixture(**said)
    assert problems == []
    assert found["router"].get("aux_loss", {}).get("balance") == balance


def test_noise_that_reaches_experts_is_refused() -> None:
    assert mixture(router_jitter_noise=0.1)[1] == ["AR0723"]
    assert mixture(router_jitter_noise=0.0)[1] == []


def test_layers_by_a_list_or_by_a_step() -> None:
    config, report = reading({**SAID, "step": 2, "some": [0, 3], "none": []})
    assert listed(config, "some", lambda _: True) == [True, False, False, True]
    assert listed(config, "none", lambda _: True) == [False] * 4
    assert listed(config, "absent", every(config, "step")) == [False, True, False, True]
    assert codes(report) == []


@pytest.mark.parametrize("wrong", [3, ["a"], {"0": 1}])
def test_what_is_no_list_of_layers_is_refused(wrong: Any) -> None:
    config, report = reading({**SAID, "some": wrong})
    listed(config, "some", lambda _: True)
    assert codes(report) == ["AR0723"]
