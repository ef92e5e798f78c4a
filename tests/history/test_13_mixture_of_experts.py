"""Mixture of experts against a loop over experts: numbers, losses, forms, laws."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import archspec
from compiler.backends.onnx import emit
from compiler.importers.fusion import fuse as joined
from compiler.pipeline.weights import weights_for
from compiler.runtime.opening import open_session
from compiler.verify.compiled import Compiled
from compiler.verify.module import build, call, load_module
from tests.history.experts import FORMS, alone, canonical, live, loaded, mixture
from tests.parity.ours import spec

BAR = 1e-5


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_loop_over_experts(form: str, tmp_path: Path) -> None:
    moe, width = FORMS[form], 18 if form == "odd widths" else 16
    made = alone(moe, width)
    weights = canonical(made)
    found = loaded(made, weights, tmp_path)
    model = live(made, found, tmp_path)
    assert found.sources is not None
    emit(made.files, joined(found.sources, found.fusions), tmp_path)
    session = open_session(tmp_path, device="cpu")
    for seed, (batch, length) in enumerate([(1, 1), (1, 3), (3, 11)]):
        x = torch.randn(batch, length, width, generator=torch.Generator().manual_seed(seed))
        wanted = mixture(moe, weights, x.flatten(0, 1)).view_as(x)
        with torch.no_grad():
            (ours,) = call(model, {"x": x})
        (theirs,) = session.run({"x": x.numpy()}).values()
        torch.testing.assert_close(ours, wanted, atol=BAR, rtol=0)
        torch.testing.assert_close(torch.from_numpy(theirs), wanted, atol=BAR, rtol=0)
        torch.testing.assert_close(torch.from_numpy(theirs), ours, atol=BAR, rtol=0)


@pytest.mark.parametrize("form", ["gated, renormalised", "chosen first", "odd widths"])
def test_a_state_dict_of_the_module_builds_as_it_is(form: str, tmp_path: Path) -> None:
    """Stacked experts go apart and together again, number for number."""
    made = alone(FORMS[form])
    weights = canonical(made)
    model = live(made, loaded(made, weights, tmp_path), tmp_path)
    torch.save(model.state_dict(), tmp_path / "trained.pt")
    again = weights_for(made.spec, made.program, made.fused, str(tmp_path / "trained.pt"))
    assert again.sources is not None
    assert set(again.sources) == set(weights)
    for name, tensor in weights.items():
        np.testing.assert_array_equal(again.sources[name].read(), tensor.numpy())


def test_a_file_with_an_expert_too_few_is_refused(tmp_path: Path) -> None:
    made = alone(FORMS["plain"])
    weights = {n: t for n, t in canonical(made).items() if not n.startswith("y.experts.4.")}
    with pytest.raises(archspec.SpecError, match="AR0708"):
        loaded(made, weights, tmp_path)


def decoder(**patches: Any) -> Compiled:
    """The chapter's model, small."""
    return spec("history/13-mixture-of-experts.yaml", d_model=32, vocab=61, n_layers=2, **patches)


def routed(model: nn.Module, ids: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Logits over all experts and the chosen experts of every router, layer by layer."""
    seen: list[tuple[Tensor, Tensor]] = []
    hooks = [
        module.register_forward_hook(
            lambda m, given, made: seen.append((functional.linear(given[0], m.weight), made[1]))
        )
        for name, module in model.named_modules()
        if name.endswith("router")
    ]
    call(model, {"ids": ids})
    for hook in hooks:
        hook.remove()
    return seen


def test_the_losses_are_those_of_the_papers() -> None:
    """Fedus et al. 2022, eq. 4, and Zoph et al. 2022, eq. 5, by hand from what the routers saw."""
    made = decoder()
    model: Any = build(made.generated).train()
    ids = torch.randint(61, (3, 10), generator=torch.Generator().manual_seed(0))
    wanted = 0.0
    for logits, expert in routed(model, ids):
        tokens, E = logits.flatten(0, 1).tolist(), logits.shape[-1]
        chosen = expert.flatten().tolist()
        scores = [torch.tensor(row).softmax(-1).tolist() for row in tokens]
        balance = sum(
            chosen.count(e) / len(chosen) * sum(row[e] for row in scores) / len(scores)
            for e in range(E)
        )
        z = sum(float(np.log(np.exp(row).sum())) ** 2 for row in tokens) / len(tokens)
        wanted += 0.01 * E * balance + 0.001 * z
    assert float(model.aux_loss().detach()) == pytest.approx(wanted, rel=1e-5)


def test_alike_experts_cost_one_and_a_single_one_costs_their_number() -> None:
    made = alone({**FORMS["one expert a token"], "router": {"aux_loss": {"balance": 1.0}}})
    model: Any = build(made.generated).train()
    with torch.no_grad():
        model.y.router.weight.zero_()
        model.y.router.weight[:, :4] = torch.eye(4) * 100
    even = torch.eye(4, 16).repeat(1, 2)[:, :16].unsqueeze(0)
    call(model, {"x": even})
    assert float(model.aux_loss().detach()) == pytest.approx(1.0)
    call(model, {"x": even[:, :1].expand(1, 7, 16)})
    assert float(model.aux_loss().detach()) == pytest.approx(4.0)


def test_training_with_the_loss_evens_the_experts_out() -> None:
    made = alone({**FORMS["one expert a token"], "router": {"aux_loss": {"balance": 1.0}}})
    torch.manual_seed(0)
    model: Any = build(made.generated).train()
    x = torch.randn(1, 256, 16) + 2.0
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)

    def most() -> float:
        with torch.no_grad():
            _, expert = model.y.router(x)
        return float(expert.flatten().bincount(minlength=4).max()) / 256

    before = most()
    for _ in range(60):
        optimizer.zero_grad()
        model(x)
        model.aux_loss().backward()
        optimizer.step()
    assert before > 0.5
    assert most() < 0.35


def test_without_aux_loss_the_model_has_none() -> None:
    made = alone(FORMS["plain"])
    assert "aux_loss" not in made.generated.text


def test_a_later_token_changes_nothing_before_it() -> None:
    made = decoder()
    model = build(made.generated)
    ids = torch.randint(61, (2, 12), generator=torch.Generator().manual_seed(1))
    changed = ids.clone()
    changed[:, 7:] = (changed[:, 7:] + 1) % 61
    with torch.no_grad():
        (before,), (after,) = call(model, {"ids": ids}), call(model, {"ids": changed})
    assert float((before[:, :7] - after[:, :7]).abs().max()) <= 1e-6 * float(before.abs().max())
    assert float((before[:, 7:] - after[:, 7:]).abs().max()) > 1e-3


def test_with_a_cache_as_without() -> None:
    made = decoder()
    model = build(made.generated)
    ids = torch.randint(61, (2, 9), generator=torch.Generator().manual_seed(2))
    kv = torch.zeros(2, 2, 2, 4, 9, 8)
    with torch.no_grad():
        (whole,) = call(model, {"ids": ids})
        parts = [call(model, {"ids": ids[:, :4], "kv": kv, "pos": 0})[0]]
        for pos in range(4, 9):
            parts += call(model, {"ids": ids[:, pos : pos + 1], "kv": kv, "pos": pos})
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, atol=BAR, rtol=0)


def test_no_token_is_dropped_and_each_costs_its_experts_alone() -> None:
    """All tokens of one expert: the others' gradients are zero, and its rows are all there."""
    made = alone({**FORMS["one expert a token"], "router": {"bias": True}})
    model: Any = build(made.generated)
    with torch.no_grad():
        model.y.router.bias.copy_(torch.tensor([0.0, 0.0, 1e4, 0.0]))
    x = torch.randn(2, 9, 16)
    y = model(x)
    assert torch.isfinite(y).all()
    assert (y.abs().sum(-1) > 0).all()
    y.square().sum().backward()
    used = [bool(grad.any()) for grad in model.y.experts.down.weight.grad]
    assert used == [False, False, True, False]


def test_float32_compiles_and_exports_with_the_numbers_of_eager() -> None:
    """torch has no grouped product for these, so that every map takes all rows there."""
    model = build(decoder().generated)
    ids = torch.randint(61, (2, 10), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        (wanted,) = call(model, {"ids": ids})
        fast = torch.compile(model, fullgraph=True, backend="eager")(ids)
        sent = torch.export.export(model, (ids,)).module()(ids)
    torch.testing.assert_close(fast, wanted, atol=BAR, rtol=0)
    torch.testing.assert_close(sent, wanted, atol=BAR, rtol=0)
    torch._dynamo.reset()


def test_bfloat16_compiles_with_the_grouped_product() -> None:
    model = build(decoder().generated).to(torch.bfloat16)
    ids = torch.randint(61, (2, 10), generator=torch.Generator().manual_seed(4))
    graph = torch.export.export(model, (ids,)).graph_module.graph
    kinds = [node.target for node in graph.nodes if node.op == "call_function"]
    assert kinds.count(torch.ops.aten._grouped_mm.default) == 4  # up and down of two layers
    with torch.no_grad():
        fast = torch.compile(model, fullgraph=True, backend="eager")(ids)
        torch.testing.assert_close(fast, model(ids))
    torch._dynamo.reset()


def test_training_compiles_with_its_losses() -> None:
    model: Any = build(decoder().generated).train()
    ids = torch.randint(61, (2, 10), generator=torch.Generator().manual_seed(5))
    model(ids)
    wanted = float(model.aux_loss().detach())
    fast: Any = torch.compile(model, fullgraph=True, backend="aot_eager")
    loss = fast(ids).square().mean() + model.aux_loss()
    torch.autograd.backward(loss)
    assert float(model.aux_loss().detach()) == pytest.approx(wanted, rel=1e-5)
    assert all(p.grad is not None and p.grad.any() for p in model.parameters())
    torch._dynamo.reset()


def test_autocast_reaches_the_experts() -> None:
    """As for every linear map: products in bfloat16, weights and gradients in float32."""
    model: Any = build(decoder().generated)
    seen: list[torch.dtype] = []
    for name, module in model.named_modules():
        if name.endswith("experts.down"):
            module.register_forward_hook(lambda m, given, y: seen.append(y.dtype))
    ids = torch.randint(61, (2, 10), generator=torch.Generator().manual_seed(6))
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(ids).float().square().mean()
    torch.autograd.backward(loss)
    assert set(seen) == {torch.bfloat16}
    assert {p.grad.dtype for p in model.parameters()} == {torch.float32}


@pytest.mark.parametrize("init", ["xavier", {"normal": 0.02, "residual": "depth_scaled"}])
def test_experts_are_drawn_one_by_one(init: Any) -> None:
    """Each is drawn as a matrix of its own would be: by its own fan in and fan out."""
    made = decoder(defaults__init=init)
    torch.manual_seed(0)
    model = getattr(load_module(made.generated.text, "drawn"), made.generated.name)()
    D, M, steps = 32, 128, 4
    for name, parameter in model.named_parameters():
        if ".experts." not in name:
            continue
        wanted = 0.02 if init != "xavier" else (2 / (D + M)) ** 0.5
        if name.endswith("down.weight") and init != "xavier":
            wanted /= steps**0.5
        for weight in parameter.detach():
            assert float(weight.std()) == pytest.approx(wanted, rel=0.1), name
    drawn = weights_for(made.spec, made.program, made.fused, "init").sources
    assert drawn is not None
    one, two = (drawn[f"h.0.mlp.experts.{j}.up.weight"].read() for j in (0, 1))
    assert not np.array_equal(one, two)
    assert float(one.std()) == pytest.approx(
        0.02 if init != "xavier" else (2 / (D + M)) ** 0.5, rel=0.1
    )
