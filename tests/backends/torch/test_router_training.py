"""What routers do in training alone: noise, capacity, and losses of layers that share one."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import archspec
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build

E, A, D = 4, 2, 8


def model(moe: dict[str, Any], **stack: Any) -> Any:
    """A model that is one mixture over vectors, or a stack of layers with one."""
    body = {"experts": E, "top_k": A, "expert": {"hidden": 16, "act": "silu"}, **moe}
    node: dict[str, Any] = {"moe": body}
    if stack:
        node = {"stack": {"layer": {"m": {"moe": body, "norm_at": "none"}}, **stack}}
    tree = {
        "name": "m",
        "inputs": {"x": {"features": ["T", D]}},
        "graph": {"y": {**node, "in": "x"}},
    }
    made = compiled(archspec.load(tree))
    assert isinstance(made, Compiled), made
    return build(made.generated)


def inputs(batch: int = 3, length: int = 11) -> Tensor:
    return torch.randn(batch, length, D, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("capacity", [0.5, 1.0, 1.25])
def test_choices_beyond_the_capacity_weigh_nothing(capacity: float) -> None:
    """Row by row and choice by choice, counted by hand; nothing is dropped outside training."""
    router = model({"router": {"capacity": capacity, "renorm": True}}).y.router
    x = inputs()
    kept, expert = router(x)
    assert (kept > 0).all()
    found, again = router.train()(x)
    assert torch.equal(expert, again)
    most = math.ceil(capacity * x.shape[0] * x.shape[1] * A / E)
    seen = dict.fromkeys(range(E), 0)
    wanted = []
    for share, chosen in zip(kept.flatten().tolist(), expert.flatten().tolist(), strict=True):
        seen[chosen] += 1
        wanted.append(share if seen[chosen] <= most else 0.0)
    torch.testing.assert_close(found.flatten(), torch.tensor(wanted))
    assert 0.0 in wanted or capacity > 1.0


def test_the_map_reads_noise_and_the_experts_do_not() -> None:
    """All experts are chosen and scores look at one coordinate each, so that noise can be read."""
    made = model({"top_k": E, "router": {"score": "sigmoid", "jitter": 0.1}})
    with torch.no_grad():
        made.y.router.weight.copy_(torch.eye(E, D))
    x = inputs().abs() + 0.5
    share, expert = made.y.router(x)
    torch.testing.assert_close(share.logit(), x.gather(-1, expert))
    noisy, chosen = made.train().y.router(x)
    noise = noisy.detach().logit() / x.gather(-1, chosen)
    assert 0.9 - 1e-4 <= float(noise.min()) < 0.93
    assert 1.07 < float(noise.max()) <= 1.1 + 1e-4
    read: list[Tensor] = []
    made.y.experts.register_forward_pre_hook(lambda _, given: read.append(given[0]))
    made(x)
    assert torch.equal(read[0], x)


@pytest.mark.parametrize("score", ["softmax", "sigmoid"])
def test_layers_that_share_a_router_add_up_their_losses(score: str) -> None:
    losses = {"balance": 0.5, "z": 0.25}
    made = model({"router": {"score": score, "aux_loss": losses}}, repeat=3, share=True).train()
    seen: list[Tensor] = []
    made.y[0].m.router.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    for _ in range(2):
        seen.clear()
        made(inputs())
        wanted = sum(loss(made.y[0].m.router.weight.detach(), x, score) for x in seen)
        assert len(seen) == 3
        assert float(made.aux_loss().detach()) == pytest.approx(float(wanted), rel=1e-5)
    made.aux_loss().backward()
    assert made.y[0].m.router.weight.grad.abs().sum() > 0


def loss(weight: Tensor, x: Tensor, score: str) -> float:
    """Fedus et al. 2022, eq. 4, and Zoph et al. 2022, eq. 5, token by token."""
    tokens = functional.linear(x, weight).flatten(0, -2)
    chosen = [e for row in tokens for e in row.argsort(descending=True)[:A].tolist()]
    scores = [row.softmax(-1) if score == "softmax" else row.sigmoid() for row in tokens]
    parts = [(row / row.sum()).tolist() for row in scores]
    balance = E * sum(
        chosen.count(e) / len(chosen) * sum(row[e] for row in parts) / len(parts) for e in range(E)
    )
    z = sum(math.log(sum(map(math.exp, row))) ** 2 for row in tokens.tolist()) / len(tokens)
    return float(0.5 * balance + 0.25 * z)


FORMS: dict[str, dict[str, Any]] = {
    "groups": {
        "router": {
            "score": "sigmoid",
            "correction": True,
            "groups": 2,
            "top_groups": 1,
            "group_score": "top2",
            "renorm": True,
            "renorm_eps": 1e-20,
            "scale": 2.5,
            "aux_loss": {"balance": 0.1},
        },
        "shared": {"hidden": 16, "act": "silu", "gated": True, "token_gate": True},
    },
    "shares of the input": {
        "router": {"score": "none", "after_topk": "sigmoid", "weigh": "input", "jitter": 0.1},
        "expert": {
            "hidden": 16,
            "act": "silu",
            "gated": True,
            "bias": True,
            "clamp": 0.5,
            "alpha": 1.702,
            "up_offset": 1,
        },
    },
    "capacity": {"router": {"capacity": 1.0}},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_compiles_and_exports(form: str) -> None:
    """In one graph each, the exported one for any batch and length; training compiles too."""
    made, x = model(FORMS[form]), inputs()
    free = {0: torch.export.Dim("batch", min=2), 1: torch.export.Dim("length", min=2)}
    with torch.no_grad():
        sent = torch.export.export(made, (x,), dynamic_shapes=(free,)).module()
        for given in (x, inputs(2, 5)):
            torch.testing.assert_close(sent(given), made(given), atol=1e-6, rtol=0)
        fast: Any = torch.compile(made, fullgraph=True, backend="eager")
        torch.testing.assert_close(fast(x), made(x), atol=1e-6, rtol=0)
    fast.train()(x).sum().backward()
    assert made.y.router.weight.grad is not None
    torch._dynamo.reset()


@pytest.mark.parametrize("form", FORMS)
def test_scores_are_float32_in_a_model_of_bfloat16(form: str) -> None:
    made = model(FORMS[form]).to(torch.bfloat16)
    share, _ = made.y.router(inputs().bfloat16())
    assert share.dtype == torch.float32
    assert made(inputs().bfloat16()).dtype == torch.bfloat16


def test_shared_routers_compile() -> None:
    made = model({"router": {"aux_loss": {"z": 1.0}}}, repeat=2, share=True).train()
    made(inputs())
    wanted = float(made.aux_loss().detach())
    fast: Any = torch.compile(made, fullgraph=True, backend="eager")
    fast(inputs())
    assert float(made.aux_loss().detach()) == pytest.approx(wanted, rel=1e-5)
    torch._dynamo.reset()


def test_a_correction_moves_with_the_model_and_no_gradient_reaches_it() -> None:
    made = model({"router": {"score": "sigmoid", "correction": True}})
    router = made.y.router
    assert "y.router.correction" in made.state_dict()
    assert "y.router.correction" not in dict(made.named_parameters())
    with torch.no_grad():
        router.correction.copy_(torch.tensor([0.0, 10.0, 0.0, 10.0]))
    share, expert = router(inputs())
    assert set(expert.flatten().tolist()) == {1, 3}
    logits = functional.linear(inputs(), router.weight)
    torch.testing.assert_close(share, logits.sigmoid().gather(-1, expert))
    made(inputs()).sum().backward()
    assert router.weight.grad is not None
