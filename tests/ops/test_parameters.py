"""Parameters: a module holds the tensors that its operator says, drawn as it says."""

import math

import pytest
import torch
from torch import nn

from compiler import ops
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.size import value
from tests.ops.case import KEY, SEQUENCE, D, M, V, floats
from tests.ops.cases import CASES


@pytest.mark.parametrize("name", CASES)
def test_the_module_holds_what_the_operator_says(name: str) -> None:
    case = CASES[name]
    said = case.operator.parameters(case.inputs, KEY)
    held = case.live().model.state_dict()
    assert {f"it.{n}": [value(s, KEY.sizes) for s in p.shape] for n, p in said.items()} == {
        n: list(p.shape) for n, p in held.items()
    }
    counts = [value(p.count, KEY.sizes) for p in said.values()]
    assert sum(counts) == sum(p.numel() for p in held.values())


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("Linear", nn.Linear(12, 20, bias=False)),
        ("Linear bias", nn.Linear(12, 20)),
        ("LayerNorm", nn.LayerNorm(12)),
        ("RmsNorm", nn.RMSNorm(12)),
        ("Embedding", nn.Embedding(11, 12)),
    ],
)
def test_an_operator_is_drawn_as_torch_draws_its_module(name: str, oracle: nn.Module) -> None:
    """Without a rule of the spec, what is drawn for ONNX and what torch draws agree."""
    case = CASES[name]
    torch.manual_seed(0)
    for local, parameter in case.operator.parameters(case.inputs, KEY).items():
        drawn = [reset(oracle).get_parameter(local).detach().clone() for _ in range(500)]
        agrees(parameter.init, torch.stack(drawn))


def reset(module: nn.Module) -> nn.Module:
    module.reset_parameters()  # type: ignore[operator]
    return module


def agrees(rule: Init, drawn: torch.Tensor) -> None:
    """Whether many numbers follow a rule: their spread, and their bound where there is one."""
    spread = {
        "normal": rule.a,
        "uniform": rule.a / math.sqrt(3),
        "zeros": 0.0,
        "ones": 0.0,
        "constant": 0.0,
    }[rule.kind]
    centre = {"ones": 1.0, "constant": rule.a}.get(rule.kind, 0.0)
    assert drawn.mean().item() == pytest.approx(centre, abs=0.05 * (spread + 1e-9) + 1e-9)
    assert drawn.std().item() == pytest.approx(spread, rel=0.05, abs=1e-9)
    if rule.kind == "uniform":
        assert drawn.abs().max().item() <= rule.a


NORMAL = Init("normal", 0.02)


@pytest.mark.parametrize(
    "operator",
    [ops.Linear(M, bias=True, init=NORMAL), ops.SharedLinear(bias=True)],
    ids=["Linear", "SharedLinear"],
)
def test_a_rule_of_the_spec_leaves_biases_at_zero(operator: Operator) -> None:
    inputs = [SEQUENCE, floats(V, D)][: len(operator.signature.inputs)]
    found = operator.parameters(inputs, KEY)
    assert found["bias"].init == Init("zeros")
    if "weight" in found:
        assert found["weight"].init == NORMAL


def test_gains_start_where_they_change_nothing() -> None:
    for name, start in (("RmsNorm", "ones"), ("RmsNorm offset", "zeros"), ("LayerNorm", "ones")):
        case = CASES[name]
        assert case.operator.parameters(case.inputs, KEY)["weight"].init == Init(start)  # type: ignore[arg-type]
    scale = CASES["LayerScale"]
    assert scale.operator.parameters(scale.inputs, KEY)["weight"].init == Init("constant", 0.1)
