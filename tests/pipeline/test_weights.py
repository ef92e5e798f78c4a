"""Weights of a build: none, drawn, or read from a file or folder in either direction."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import archspec
from archspec.source.diagnostic import SpecError
from compiler.importers.fusion import fuse as joined
from compiler.ir.program import Program
from compiler.passes.fuse import fuse
from compiler.pipeline import weights as module
from compiler.pipeline.passes import lowered
from compiler.pipeline.weights import Weights, weights_for
from tests.backends.torch.live import Live
from tests.lower.specs import PRE, Tree, decoder, encoder_decoder


def asked(spec_tree: Tree, what: str) -> Weights:
    spec = archspec.load(spec_tree)
    plain = lowered(spec)
    return weights_for(spec, plain, fuse(plain), what)


def arrays(found: Weights) -> dict[str, np.ndarray]:
    assert found.sources is not None
    return {name: source.read() for name, source in found.sources.items()}


NORMAL = decoder() | {"defaults": {**PRE, "init": {"normal": 0.02}}}


def test_none_means_none() -> None:
    found = asked(decoder(), "none")
    assert found.sources is None
    assert found.absent == ""


def test_drawn_weights_have_a_tensor_for_each_parameter() -> None:
    found = arrays(asked(NORMAL, "init"))
    plain = lowered(archspec.load(NORMAL))
    assert list(found) == list(plain.parameters())
    assert found["tok.weight"].std() == pytest.approx(0.02, rel=0.1)
    assert (found["h.0.attn.norm.weight"] == 1).all()
    assert all(array.dtype == np.float32 for array in found.values())


def test_drawing_is_the_same_every_time_and_different_for_each_parameter() -> None:
    one, two = arrays(asked(NORMAL, "init")), arrays(asked(NORMAL, "init"))
    assert all((one[name] == two[name]).all() for name in one)
    assert not (one["h.0.attn.q.weight"] == one["h.1.attn.q.weight"]).any()
    assert not (one["h.0.attn.q.weight"] == one["h.0.attn.k.weight"]).any()


def test_a_change_elsewhere_leaves_a_parameters_numbers_alone() -> None:
    deeper = decoder(repeat=5) | {"defaults": {**PRE, "init": {"normal": 0.02}}}
    one, two = arrays(asked(NORMAL, "init")), arrays(asked(deeper, "init"))
    assert (one["h.1.mlp.up.weight"] == two["h.1.mlp.up.weight"]).all()


def test_too_many_drawn_weights_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DRAWN_LIMIT", 1000)
    found = asked(decoder(), "init")
    assert found.sources is None
    assert "only graphs are written above 4 GiB" in found.absent


def program(tree: Tree) -> Program:
    return lowered(archspec.load(tree))


@pytest.mark.parametrize("suffix", ["safetensors", "pt", "folder"])
@pytest.mark.parametrize("form", ["canonical", "fused"])
def test_a_saved_model_is_read_whatever_its_form(form: str, suffix: str, tmp_path: Path) -> None:
    """Canonical names and the joined tensors of `model.py` give the same weights."""
    live = Live(program(decoder()))
    state = live.weights if form == "canonical" else live.model.state_dict()
    state = {name: tensor.float().contiguous() for name, tensor in state.items()}
    path = tmp_path / f"w.{suffix}"
    if suffix == "pt":
        torch.save(state, path)
    elif suffix == "folder":
        path.mkdir()
        save_file(state, path / "model.safetensors")
    else:
        save_file(state, path)
    found = asked(decoder(), str(path))
    read = arrays(found)
    assert set(read) == set(live.weights)
    assert all(np.array_equal(read[n], live.weights[n].float().numpy()) for n in read)
    assert found.sources is not None
    whole = {name: source.read() for name, source in joined(found.sources, found.fusions).items()}
    for name, tensor in live.model.state_dict().items():
        assert np.array_equal(whole[name], tensor.float().numpy())


def test_a_tied_table_may_be_there_under_both_names(tmp_path: Path) -> None:
    live = Live(program(encoder_decoder()))
    state = {name: tensor.float() for name, tensor in live.weights.items()}
    twice = {**state, "logits.weight": state["a.weight"].clone()}
    save_file(twice, tmp_path / "w.safetensors")
    assert set(arrays(asked(encoder_decoder(), str(tmp_path / "w.safetensors")))) == set(state)
    twice["logits.weight"] += 1
    save_file(twice, tmp_path / "other.safetensors")
    with pytest.raises(SpecError, match="AR0711"):
        asked(encoder_decoder(), str(tmp_path / "other.safetensors"))


@pytest.mark.parametrize(
    ("change", "code"),
    [("missing", "AR0708"), ("strange", "AR0708"), ("shape", "AR0710"), ("absent", "AR0701")],
)
def test_what_does_not_fit_is_said(change: str, code: str, tmp_path: Path) -> None:
    live = Live(program(decoder()))
    state = {name: tensor.float() for name, tensor in live.weights.items()}
    if change == "missing":
        del state["h.1.mlp.up.weight"]
    if change == "strange":
        state["h.9.mlp.up.weight"] = torch.zeros(2)
    if change == "shape":
        state["h.1.mlp.up.weight"] = torch.zeros(2, 3)
    path = tmp_path / "w.safetensors"
    if change != "absent":
        save_file(state, path)
    with pytest.raises(SpecError) as caught:
        asked(decoder(), str(path))
    assert code in {found.code for found in caught.value.diagnostics}


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    live = Live(program(decoder()))
    state = {name: tensor.float() for name, tensor in live.weights.items()}
    state["tok.weight"][0, 0] = float("nan")
    save_file(state, tmp_path / "w.safetensors")
    with pytest.raises(SpecError) as caught:
        asked(decoder(), str(tmp_path / "w.safetensors"))
    assert [found.code for found in caught.value.diagnostics] == ["AR0713"]
