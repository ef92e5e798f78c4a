"""Attention's rarer words compile whole, export with free lengths, train and run in bfloat16."""

from functools import cache
from typing import Any

import pytest
import torch

import archspec
from compiler.backends.torch import Facts, torch_source
from compiler.passes.keep_weights import keep_weights
from compiler.passes.shapes import shapes
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.generated.test_export import again, exported
from tests.lower.specs import MLP, decoder

WORDS: dict[str, dict[str, Any]] = {
    "sink": {
        "temperature": {"scale": 0.3, "floor": 2},
        "qk_norm": {"layer": 1e-5, "over": "per_head"},
        "sink": True,
        "softcap": 3,
        "kv_heads": 2,
    },
    "prefix": {"prefix": "given", "window": 4, "rope": {}},
    "additive": {
        "score": "additive",
        "gate": True,
        "clip_qkv": 1,
        "qk_norm": {"rms": 1e-6, "over": "all"},
    },
}


@cache
def made(name: str) -> Compiled:
    spec = decoder(
        {"attn": {"attention": {"heads": 4, "mask": "causal", **WORDS[name]}}, "mlp": MLP}, repeat=2
    )
    counts = {"given": "count"} if name == "prefix" else {}
    spec["inputs"] = {"ids": {"tokens": {"padded": True}}, **counts}
    found = compiled(archspec.load(spec))
    assert isinstance(found, Compiled), found
    return found


@pytest.mark.parametrize("name", WORDS)
def test_export_and_compile(name: str) -> None:
    found = made(name)
    model, fast = build(found.generated), build(found.generated)
    values = example(found.spec, found.program, 3, 9).values
    program = exported(found, model, values).module()
    fast.compile(fullgraph=True, backend="eager")
    for batch, length in ((1, 1), (2, 13)):
        given = example(found.spec, found.program, batch, length).values
        with torch.no_grad():
            wanted = call(model, given)
            assert apart(again(program, given, model), wanted) <= 1e-6
            assert apart(call(fast, given), wanted) <= 1e-6


@pytest.mark.parametrize("name", WORDS)
def test_every_weight_learns(name: str) -> None:
    found = made(name)
    model = build(found.generated).train()
    outputs = call(model, example(found.spec, found.program, 3, 9).values)
    torch.autograd.backward(outputs[0].square().sum())
    assert all(weight.grad is not None and weight.grad.any() for weight in model.parameters())


@pytest.mark.parametrize("name", WORDS)
def test_bfloat16_stays_near(name: str) -> None:
    """Within 5 % of the largest output, twice what was measured."""
    found = made(name)
    values = example(found.spec, found.program, 3, 9).values
    real = values["ids_mask"]
    with torch.no_grad():
        wanted = call(build(found.generated), values)[0][real]
        low = call(build(found.generated).to(torch.bfloat16), values)[0][real]
    assert low.dtype == torch.bfloat16
    assert apart([low.float()], [wanted]) <= 0.05 * float(wanted.abs().max())


@pytest.mark.parametrize("name", WORDS)
def test_kept_weights_are_those_of_the_model(name: str) -> None:
    found = made(name)
    kept = build(torch_source(shapes(keep_weights(found.fused)), Facts("0", "", "", "", "")))
    model = build(found.generated)
    kept.load_state_dict(model.state_dict(), strict=True)
    values = example(found.spec, found.program, 3, 9).values
    with torch.no_grad():
        assert apart(call(kept, values), call(model, values)) <= 1e-5
    weights = [each for module in kept.modules() for each in getattr(module, "kept", [])]
    assert [tuple(each.shape) for each in weights] == [(3, 4, 9, 9)] * 2
    total = torch.cat([each.sum(dim=-1).flatten() for each in weights])
    assert (total <= 1 + 1e-5).all()
    assert (total < 0.999).any() == (name == "sink")
