"""Generated modules train: every parameter has a gradient, in every precision."""

from dataclasses import astuple
from functools import cache

import pytest
import torch
from torch import nn

from compiler.verify.examples import example
from compiler.verify.module import build, call, load_module
from tests.generated.samples import small
from tests.shipped import DISTINCT, ROOT


@pytest.fixture(params=DISTINCT)
def path(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def outputs(path: str, model: nn.Module, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    made = small(path)
    values = example(made.spec, made.program, 2, 9).values
    cast = {n: v.to(dtype) if v.is_floating_point() else v for n, v in values.items()}
    return list(call(model, cast))


def test_every_parameter_has_a_gradient(path: str) -> None:
    model = build(small(path).generated)
    if not small(path).parameters:
        pytest.skip("the model has no weights")
    torch.autograd.backward([found.square().mean() for found in outputs(path, model)])
    silent = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert silent == []


def test_weights_are_drawn_as_the_spec_says(path: str) -> None:
    """A model as it is born: biases are zero where the spec draws, matrices have some spread."""
    made = small(path)
    model: nn.Module = born(path)
    if made.spec.init.kind == "torch":
        pytest.skip("the spec leaves weights to torch")
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            assert float(module.weight.detach().std()) > 0, name
            assert module.bias is None or not module.bias.detach().any(), name


def born(path: str) -> nn.Module:
    generated = small(path).generated
    torch.manual_seed(0)
    made: nn.Module = getattr(load_module(generated.text, generated.name), generated.name)()
    return made


def test_bfloat16(path: str) -> None:
    model = build(small(path).generated)
    with torch.no_grad():
        wanted = outputs(path, model)
        found = outputs(path, model.to(torch.bfloat16), torch.bfloat16)
    for low, high in zip(found, wanted, strict=True):
        assert low.dtype == torch.bfloat16
        assert float((low.float() - high).abs().max()) <= 0.15 * float(high.abs().max())


@cache
def has_lstm_in_bfloat16() -> bool:
    """Whether torch's own LSTM runs under autocast on this processor; on some it has no kernel."""
    try:
        with torch.autocast("cpu", torch.bfloat16):
            nn.LSTM(8, 8, batch_first=True)(torch.ones(2, 3, 8))
    except RuntimeError:
        return False
    return True


def test_autocast(path: str) -> None:
    model = build(small(path).generated)
    if any(isinstance(each, nn.LSTM) for each in model.modules()) and not has_lstm_in_bfloat16():
        pytest.skip("torch has no LSTM in bfloat16 on this processor")
    with torch.no_grad():
        wanted = outputs(path, model)
    with torch.autocast("cpu", torch.bfloat16):
        found = outputs(path, model)
        losses = [each.float().square().mean() for each in found]
    if small(path).parameters:
        torch.autograd.backward(losses)
    for low, high in zip(found, wanted, strict=True):
        assert float((low.detach().float() - high).abs().max()) <= 0.15 * float(high.abs().max())
    assert {p.grad.dtype for p in model.parameters() if p.grad is not None} <= {torch.float32}


def test_dropout_only_in_training(path: str) -> None:
    model = build(small(path).generated)
    branches = "drop_path:" in (ROOT / path).read_text(encoding="utf-8")
    drops = branches or any(astuple(small(path).spec.dropout))
    with torch.no_grad():
        assert all(map(torch.equal, outputs(path, model), outputs(path, model)))
        torch.manual_seed(0)
        model.train()
        again = all(map(torch.equal, outputs(path, model), outputs(path, model)))
    assert again == (not drops)
