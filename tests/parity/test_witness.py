"""`torch.onnx.export` of generated modules gives the numbers of our own emission."""

from pathlib import Path

import pytest
import torch
from torch.onnx import OnnxExporterError

from compiler.ops import Dispatch, LstmRecurrence, Recurrence, Restart
from compiler.verify.compiled import Compiled
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import build
from compiler.verify.parity import BAR, onnx_session, run
from compiler.verify.rounding import eased
from compiler.verify.verdict import Check, at_most
from tests.generated.samples import small
from tests.parity.witness import witnessed
from tests.shipped import TRACED
from tests.verify.changed import mistaken
from tests.verify.models import decoder, made

SHAPES = [(2, 13), (3, 7)]
EXCEPTED: dict[type, tuple[str, str]] = {
    Dispatch: ("specs/history/13-mixture-of-experts.yaml", "aten.sort"),
    Recurrence: ("specs/history/01-seq2seq-gru.yaml", "zeros"),
    LstmRecurrence: ("specs/history/01-seq2seq.yaml", "zeros"),
    Restart: ("specs/history/08-masks-segments.yaml", "aten.cummax"),
}
"""What torch 2.13 cannot export, with a spec that has it and the function that torch stumbles over:
rows sorted by expert, rows packed by length, the place where a document began."""

ALIKE = {
    f"specs/{name}.yaml"
    for name in (
        *("decoder/gemma-7b", "decoder/llama2-7b", "decoder/llama3.1-8b", "decoder/llama3.2-1b"),
        *("decoder/qwen2.5-7b", "history/05-attention-layer", "history/07-positions-learned"),
        *("history/07-positions-rotary", "history/07-positions-sinusoid", "history/10-pre-norm"),
        *("history/10-rmsnorm", "history/10-swiglu", "history/10-transformer-base"),
        *("history/10-transformer-big", "history/11-gpt-ladder", "history/12-vit"),
        *("vision/vit-b16-mean",),
    )
}
"""Specs of a family that another one stands for here: an export takes seconds."""


def operators(path: str) -> set[type]:
    return {type(node.what) for _, node, _ in small(path).program.flat()}


EXPORTED = [path for path in TRACED if not operators(path) & EXCEPTED.keys()]
FAMILIES = [path for path in EXPORTED if path not in ALIKE]


def agree(made: Compiled, ours: torch.nn.Module, theirs: torch.nn.Module, folder: Path) -> Check:
    """Our emission with the weights of one module against the export of another."""
    for name in ("ours", "theirs"):
        (folder / name).mkdir()
    session = onnx_session(made.files, ours, folder / "ours")
    witness = witnessed(made, theirs, folder / "theirs")
    worst = 0.0
    for seed, (batch, length) in enumerate(SHAPES):
        given = example(made.spec, made.program, batch, length, seed=seed)
        worst = max(worst, apart(run(session, given), run(witness, given)))
    return eased(at_most("onnx = torch.onnx", worst, BAR), made, ours)


@pytest.mark.parametrize("path", FAMILIES)
def test_both_say_the_same(path: str, tmp_path: Path) -> None:
    made = small(path)
    model = build(made.generated)
    check = agree(made, model, model, tmp_path)
    assert check.ok, check


def test_a_mistake_is_told(tmp_path: Path) -> None:
    found = made(decoder())
    wrong = mistaken(found, "F.silu(gate_BTM) * up_BTM", "F.silu(up_BTM) * gate_BTM")
    check = agree(found, build(found.generated), wrong, tmp_path)
    assert check.ok is False, check


@pytest.mark.parametrize(("path", "function"), EXCEPTED.values(), ids=lambda value: value)
def test_what_torch_cannot_export(path: str, function: str, tmp_path: Path) -> None:
    """An exception falls with the error that makes it one."""
    with pytest.raises(OnnxExporterError) as caught:
        witnessed(small(path), build(small(path).generated), tmp_path)
    assert function in str(caught.value.__cause__)


def test_every_operator_that_torch_exports_has_a_witness() -> None:
    exported, heard = (set().union(*map(operators, paths)) for paths in (EXPORTED, FAMILIES))
    assert exported == heard


def test_every_folder_of_specs_has_a_witness() -> None:
    assert {path.split("/")[1] for path in FAMILIES} == {path.split("/")[1] for path in TRACED}
