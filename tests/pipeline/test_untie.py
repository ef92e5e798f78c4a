"""A tie that the tensors do not keep is given up with a warning, in `model.py` and in ONNX."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import archspec
from archspec.source.diagnostic import SpecError
from compiler.pipeline import build
from compiler.pipeline.passes import lowered
from compiler.pipeline.untie import Untied, untie
from tests.backends.torch.live import Live
from tests.lower.specs import Tree, encoder_decoder

TINY = """
name: tiny
dims: {vocab: 11, d_model: 8}
inputs: {ids: {tokens: {max: 6}}}
graph:
  tok: {embed: {vocab: vocab, dim: d_model}, in: ids}
  logits: {unembed: {tie: tok}}
"""


def saved(path: Path, tree: Tree | Path, change: dict[str, float]) -> Path:
    """Random weights in which every borrowed table is there too, changed by a number."""
    plain = lowered(archspec.load(tree))
    state = {name: tensor.float() for name, tensor in Live(plain).weights.items()}
    owner = next(name for name in state if name in ("tok.weight", "a.weight"))
    state |= {name: state[owner] + number for name, number in change.items()}
    save_file(state, path)
    return path


def untied(tree: Tree, path: Path) -> Untied:
    spec = archspec.load(tree)
    return untie(spec, lowered(spec), str(path))


def own(found: Untied) -> set[str]:
    return set(found.plain.parameters())


def test_equal_tables_stay_tied(tmp_path: Path) -> None:
    path = saved(tmp_path / "w.safetensors", encoder_decoder(), {"logits.weight": 0.0})
    spec = archspec.load(encoder_decoder())
    found = untie(spec, lowered(spec), str(path))
    assert found.spec is spec
    assert found.warnings == ()


CASES: list[tuple[dict[str, float], list[str]]] = [
    ({"logits.weight": 1.0}, ["logits"]),
    ({"b.weight": 1.0, "logits.weight": 0.0}, ["b"]),
    ({"b.weight": 1.0, "logits.weight": 2.0}, ["b", "logits"]),
]


@pytest.mark.parametrize(("change", "names"), CASES)
def test_each_table_that_differs_becomes_one_of_its_own(
    change: dict[str, float], names: list[str], tmp_path: Path
) -> None:
    """The patches that the warnings name give the same spec."""
    path = saved(tmp_path / "w.safetensors", encoder_decoder(), change)
    found = untied(encoder_decoder(), path)
    assert [(w.code, w.severity) for w in found.warnings] == [("AR0719", "warning")] * len(names)
    said = archspec.load(encoder_decoder(), set=found.spec.settings)
    assert said.graph == found.spec.graph
    assert said.settings == found.spec.settings
    more = own(found) - set(lowered(archspec.load(encoder_decoder())).parameters())
    assert {name.partition(".")[0] for name in more} == set(names)


def test_weights_that_cannot_be_opened_are_said(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="AR0701"):
        untied(encoder_decoder(), tmp_path / "none.safetensors")


def test_a_build_takes_both_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Path("tiny.yaml")
    spec.write_text(TINY)
    weights = saved(Path("w.safetensors"), spec, {"logits.weight": 1.0})
    built = build(str(spec), weights=str(weights), out="out", verify=True)
    assert [warning.code for warning in built.warnings] == ["AR0719"]
    assert built.agreed is not None and built.agreed.ok
    state = load_file("out/tiny/model.safetensors")
    scope: dict[str, Any] = {}
    exec(Path("out/tiny/model.py").read_text(), scope)
    model = scope["Tiny"]()
    model.load_state_dict(state, strict=True)
    ids = torch.tensor([[1, 2, 10]])
    given = load_file(weights)
    wanted = given["tok.weight"][ids] @ given["logits.weight"].T
    torch.testing.assert_close(model(ids), wanted)
    assert "--set logits.tie=none --set logits.vocab=vocab" in Path("out/tiny/model.py").read_text()
