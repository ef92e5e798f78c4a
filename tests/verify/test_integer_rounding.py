"""What drawn weights lose by integers: sound models build in every family, mistakes in none."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from compiler.backends.onnx import rounded_data
from compiler.backends.onnx.rounding import Codes, rounded, rounded_columns
from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Precision, Target
from compiler.verify.integer_rounding import NOTHING, eased_loss, loss_by_rounding
from compiler.verify.module import build
from compiler.verify.precision import LOSSES, deviation, precision_check
from compiler.verify.verdict import at_most, skipped
from tests.generated.samples import small
from tests.verify.models import encoder, made

FAMILIES = (
    "encoder-decoder/t5-small",
    "encoder-decoder/t5-v1.1-small",
    "decoder/gemma3-4b",
    "decoder/llama3-8b",
    "multimodal/clip-b32",
    "multimodal/siglip-b16",
)
PRECISIONS: tuple[Precision, ...] = ("int8", "int4")
INT4 = Target("cpu", "int4")
MISTAKES: dict[str, Callable[[Codes], Codes]] = {
    "scales of other rows": lambda c: replace(c, scales=np.roll(c.scales, 1, axis=0)),
    "codes of other rows": lambda c: replace(c, codes=np.roll(c.codes, 1, axis=0)),
    "codes of other inputs": lambda c: replace(c, codes=np.roll(c.codes, 1, axis=-1).copy()),
}


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", FAMILIES)
def test_drawn_weights_are_held_to_what_rounding_does(
    name: str, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most sensitive of all families, and a usual one; then with each mistake."""
    found = small(f"specs/{name}.yaml")
    model = build(found.generated, program=found.fused)
    sound = precision_check(found, model, Target("cpu", precision), drawn=True)
    assert sound.ok, sound
    for mistake in MISTAKES.values():
        monkeypatch.setattr(rounded_data, "rounded", mistaken(rounded, mistake))
        monkeypatch.setattr(rounded_data, "rounded_columns", mistaken(rounded_columns, mistake))
        wrong = precision_check(found, model, Target("cpu", precision), drawn=True)
        assert wrong.ok is False, wrong


def mistaken(rounds: Callable[..., Codes], mistake: Callable[[Codes], Codes]) -> object:
    def work(rows: object, integers: Integers | None = None) -> Codes:
        return mistake(rounds(rows) if integers is None else rounds(rows, integers))

    return work


def test_what_torch_loses_is_about_what_is_lost() -> None:
    found = small("specs/decoder/llama3-8b.yaml")
    model = build(found.generated)
    kept = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for precision in PRECISIONS:
        alone = loss_by_rounding(found, model, Target("cpu", precision))
        lost = deviation(found, model, Target("cpu", precision)).relative
        assert alone / 2 < lost < 1.8 * alone
    assert all(torch.equal(tensor, kept[name]) for name, tensor in model.state_dict().items())


def test_an_excuse_is_said_and_ends_where_nothing_is_left() -> None:
    """The similarities of CLIP's drawn towers are next to nothing, and four bits move them by as
    much: what is off by all of their size is refused nevertheless."""
    found = small("specs/multimodal/clip-b32.yaml")
    model = build(found.generated)
    assert loss_by_rounding(found, model, INT4) > LOSSES[4]
    check = eased_loss(at_most("x", 0.6, LOSSES[4], "mean cosine 0.8"), found, model, INT4)
    assert check.ok
    assert "above 0.5, but so is" in check.reason
    over = at_most("x", NOTHING + 0.01, LOSSES[4])
    assert eased_loss(over, found, model, INT4) == over


def test_matrices_that_stay_floats_excuse_nothing() -> None:
    """A few matrices in four bits cost little; the check says next to what all would cost."""
    found = small("specs/multimodal/clip-b32.yaml")
    model = build(found.generated, program=found.fused)
    some = Target("cpu", choices=(Choice("*.down", Integers(4, 32, "symmetric")),))
    kept = Target("cpu", "int4", choices=(Choice("*", None),))
    check = at_most("x", 0.6, LOSSES[4])
    assert eased_loss(check, found, model, INT4).ok
    assert loss_by_rounding(found, model, kept) == 0
    for target in (some, kept):
        assert eased_loss(check, found, model, target) == check


def test_choices_of_experts_are_heeded() -> None:
    found = small("specs/decoder/mixtral-8x7b.yaml")
    model = build(found.generated, program=found.fused)
    for pattern, heeded in (("*.experts.*", True), ("*.0.up_gate", False)):
        target = Target("cpu", choices=(Choice(pattern, Integers(4)),))
        assert (loss_by_rounding(found, model, target) > 0) == heeded


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_nothing_but_experts_is_seen(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = small("specs/decoder/mixtral-8x7b.yaml")
    model = build(found.generated, program=found.fused)
    target = Target("cpu", choices=(Choice("*.experts.*", Integers(4)),))
    assert precision_check(found, model, target, drawn=True).ok
    monkeypatch.setattr(rounded_data, "rounded", mistaken(rounded, MISTAKES[mistake]))
    wrong = precision_check(found, model, target, drawn=True)
    assert wrong.ok is False, wrong


def test_weights_as_given_and_stated_losses_are_not_excused() -> None:
    found = small("specs/multimodal/clip-b32.yaml")
    model, target = build(found.generated), Target("cpu", "int4")
    assert precision_check(found, model, target).ok is False
    assert precision_check(found, model, target, 0.5, drawn=True).ok is False
    assert precision_check(found, model, target, drawn=True).ok


def test_other_checks_stay_as_they_are() -> None:
    found = made(encoder())
    model = build(found.generated)
    checks = [
        at_most("holds", 0.1, 0.5),
        at_most("no number", float("inf"), 0.5),
        skipped("not asked", "why"),
        at_most("far above", 0.8, 0.5),
    ]
    assert [eased_loss(check, found, model, INT4) for check in checks] == checks
