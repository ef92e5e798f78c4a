"""Weights in both directions: what was trained in `model.py` builds, what was published trains."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.parity.ours import BAR, ours, spec

SMALL = {"d_model": 32, "n_layers": 2, "n_heads": 4, "vocab": 97}
SPECS = {
    "decoder/gpt2.yaml": {**SMALL, "max_len": 40},
    "decoder/llama3-8b.yaml": {**SMALL, "n_kv_heads": 2, "d_ff": 56},
    "encoder/bert-base.yaml": {**SMALL, "max_len": 40, "d_ff": 56},
    "encoder-decoder/transformer-base.yaml": {**SMALL, "d_ff": 56},
}


@pytest.mark.parametrize("ending", ["safetensors", "pt"])
@pytest.mark.parametrize("path", SPECS)
def test_a_state_dict_of_the_module_builds_as_it_is(path: str, ending: str, tmp_path: Path) -> None:
    made = spec(path, **SPECS[path])
    trained = build(made.generated, seed=7)
    one_step(trained, example(made.spec, made.program, 2, 9).values)
    file = tmp_path / f"trained.{ending}"
    if ending == "pt":
        torch.save(trained.state_dict(), file)
    else:
        save_file(trained.state_dict(), file)
    back = ours(made, file, tmp_path / "built")
    given = example(made.spec, made.program, 3, 12)
    with torch.no_grad():
        wanted = call(trained, given.values)
    run = back.session.run({name: value.numpy() for name, value in given.values.items()})
    assert apart([torch.from_numpy(value) for value in run.values()], wanted) <= BAR
    assert all(torch.equal(a, b) for a, b in same_names(trained, back.model))


def one_step(model: torch.nn.Module, values: Mapping[str, torch.Tensor]) -> None:
    """A step of training that moves every parameter."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    sum(found.square().mean() for found in call(model, values)).backward()  # type: ignore[union-attr]  # no output is 0
    optimizer.step()


def same_names(
    left: torch.nn.Module, right: torch.nn.Module
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The parameters of two modules side by side."""
    mine, other = left.state_dict(), right.state_dict()
    assert list(mine) == list(other)
    return [(mine[name], other[name]) for name in mine]
