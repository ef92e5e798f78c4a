import pytest
import torch

from compiler.verify.difference import apart
from compiler.verify.examples import LENGTHS, example
from compiler.verify.module import build, call
from compiler.verify.parity import BAR, parity
from compiler.verify.rounding import MARGIN, eased, rounding
from compiler.verify.verdict import at_most, equal, skipped
from tests.generated.samples import small
from tests.verify.changed import mistaken
from tests.verify.models import decoder, encoder, made


def test_a_sound_model_moves_less_than_the_bars() -> None:
    found = made(encoder())
    assert 0 < rounding(found, build(found.generated)) / MARGIN < 1e-5


def test_weights_are_as_before() -> None:
    found = made(encoder())
    model, other = build(found.generated), build(found.generated)
    rounding(found, model)
    assert apart(list(model.parameters()), list(other.parameters())) == 0.0


def test_a_mistake_is_not_excused() -> None:
    found = made(decoder())
    wrong = parity(found, mistaken(found, "EPS, ROPE_BASE = 1e-5", "EPS, ROPE_BASE = 1e-2"))
    check = eased(wrong, found, build(found.generated))
    assert check == wrong
    assert check.ok is False


def test_what_rounding_does_too_is_excused_and_said() -> None:
    found = made(encoder())
    model = build(found.generated)
    floor = rounding(found, model)
    check = eased(at_most("x", floor / 2, floor / 4), found, model)
    assert check.ok
    assert check.bar == floor
    assert "rounding" in check.reason


def test_what_is_no_number_is_never_excused() -> None:
    found = made(encoder())
    model = build(found.generated)
    with torch.no_grad():
        next(model.parameters()).fill_(float("nan"))
    check = at_most("x", float("inf"), 1e-5)
    assert eased(check, found, model) == check


def test_other_checks_stay_as_they_are() -> None:
    found = made(encoder())
    model = build(found.generated)
    checks = [
        at_most("holds", 1e-7, 1e-5),
        at_most("not a bit", 1e-9, 0.0),
        equal("count", 3, 4, "elements"),
        skipped("not asked", "why"),
    ]
    assert [eased(check, found, model) for check in checks] == checks


@pytest.mark.parametrize("name", ["t5-small", "t5-v1.1-small"])
def test_logits_of_one_size_or_ten_times_that_need_no_excuse(name: str) -> None:
    """T5 v1.1 maps to logits without the factor D^-1/2 that v1.0 has before its tied head: they are
    as many times as large. With queries as narrow as its authors draw them both hold."""
    found = small(f"specs/encoder-decoder/{name}.yaml")
    model = build(found.generated, program=found.fused)
    with torch.no_grad():
        (logits,) = call(model, example(found.spec, found.program, *LENGTHS[-1]).values)
    assert (float(logits.abs().max()) > 1) == (name == "t5-v1.1-small")
    check = parity(found, model)
    assert check.ok, check
    assert check.bar == BAR
