import os
import sys
import traceback
from pathlib import Path
from typing import cast

import pytest
import torch
from torch import nn

from compiler.verify.module import arguments, build, call, load_module, plain_name, shake
from tests.generated.samples import small
from tests.verify.models import decoder, made


def test_a_module_from_text_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known = set(sys.modules)
    module = load_module("VALUE = 3\n", "fresh")
    assert module.VALUE == 3
    assert module.__name__ == "fresh"
    assert set(sys.modules) == known
    assert os.listdir(tmp_path) == []


def test_two_modules_of_one_name_are_two() -> None:
    first, second = load_module("V = 1\n", "same"), load_module("V = 2\n", "same")
    assert (first.V, second.V) == (1, 2)


def test_tracebacks_show_the_generated_line() -> None:
    module = load_module("def f(x_BTD):\n    return x_BTD.nothing_like_it\n", "broken")
    with pytest.raises(AttributeError) as caught:
        module.f(3)
    told = "".join(traceback.format_tb(caught.value.__traceback__))
    assert "return x_BTD.nothing_like_it" in told


def test_shaken_weights_hide_nothing() -> None:
    norm = nn.LayerNorm(8)
    model = nn.Sequential(nn.Linear(64, 8), norm, nn.Embedding(5, 8))
    shake(model, seed=3)
    for name, parameter in model.named_parameters():
        assert float(parameter.detach().std()) > 0, name
    assert abs(float(norm.weight.detach().mean()) - 1) < 0.3
    again = nn.Sequential(nn.Linear(64, 8), nn.LayerNorm(8), nn.Embedding(5, 8))
    shake(again, seed=3)
    assert all(map(torch.equal, model.parameters(), again.parameters()))


def test_a_gain_is_shaken_around_one_whatever_is_added_to_it() -> None:
    """Gemma's norms hold zeros and add one to them: branches of twice the size drown what they are
    added to, and rounding to integers costs three times as much."""
    model = build(small("specs/decoder/gemma3-1b.yaml").generated)
    gains = [m.weight for m in model.modules() if type(m).__name__ == "OffsetRmsNorm"]
    assert len(gains) > 6
    held = torch.cat([cast("torch.Tensor", gain).detach() for gain in gains])
    assert abs(float(held.mean())) < 0.03
    assert 0.05 < float(held.std()) < 0.2


def test_the_meta_device_allocates_nothing() -> None:
    model = build(made(decoder()).generated, device="meta")
    assert all(parameter.is_meta for parameter in model.parameters())
    assert not model.training


@pytest.mark.parametrize(
    ("name", "plain"),
    [("ids_BT", "ids"), ("kv_L2BGCK", "kv"), ("pos", "pos"), ("src_ids_mask_BS", "src_ids_mask")],
)
def test_plain_names(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_calling_by_name() -> None:
    model = build(made(decoder()).generated)
    assert list(arguments(model.forward)) == ["ids", "kv", "pos"]
    ids = torch.arange(6).view(2, 3)
    with torch.no_grad():
        (found,) = call(model, {"ids": ids, "unknown": 1})
        assert torch.equal(found, model(ids))
