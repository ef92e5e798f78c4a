from pathlib import Path
from typing import Any

import pytest

import archspec
from archspec import SpecError
from compiler.ir.target import Target
from compiler.verify import proof
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.proof import agreement, verify
from compiler.verify.shrink import chosen
from compiler.verify.verdict import PARITY, Check
from tests.verify.models import decoder, encoder
from tests.verify.test_precision import SPEC as WIDE
from tests.verify.test_precision import whole_numbers
from tests.verify.test_shrink import LARGE

SPECS = Path(__file__).parents[2] / "specs"


def statuses(checks: tuple[Check, ...]) -> dict[str, bool | None]:
    return {check.name: check.ok for check in checks}


def test_a_small_spec_is_run_as_it_is() -> None:
    verdict = verify(archspec.load(decoder()))
    assert verdict.ok
    assert verdict.patches == ()
    expected = {
        "parameters": True,
        "matrix products": True,
        PARITY: True,
        "prefill = chunks = steps": True,
        "no look ahead": True,
        "padding does not matter": None,
        "order of a set does not matter": None,
        "with positions, order matters": True,
        "names = shapes": True,
    }
    assert expected.items() <= statuses(verdict.checks).items()


def test_a_set_of_padded_tokens() -> None:
    found = statuses(verify(archspec.load(encoder())).checks)
    assert found["padding does not matter"]
    assert found["order of a set does not matter"]
    assert found["prefill = chunks = steps"] is None


def test_a_large_spec_is_run_as_a_sibling_and_counted_as_it_is() -> None:
    verdict = verify(archspec.load(SPECS / "decoder/gpt3-175b.yaml"))
    assert verdict.ok
    assert verdict.parameters == 174_604_259_328
    assert verdict.checks[0].measured == 174_604_259_328
    assert "n_layers=2" in verdict.patches
    assert "sibling" in verdict.text()


def test_patches_of_the_spec_reach_its_sibling() -> None:
    given = ["n_heads=48", "h.layer.mlp.act=relu"]
    spec = compiled(archspec.load(SPECS / "decoder/gpt2.yaml", set=given))
    assert isinstance(spec, Compiled)
    run, _ = chosen(spec, str(SPECS / "decoder/gpt2.yaml"), tuple(given))
    assert run is not None
    assert "F.relu" in run.made.generated.text


def test_a_large_mapping_says_why_nothing_was_run() -> None:
    verdict = verify(archspec.load(LARGE["sets"]))
    assert verdict.ok
    assert statuses(verdict.checks)[PARITY] is None
    assert "no file" in verdict.checks[-1].reason
    again = verify(archspec.load(LARGE["sets"]), source=LARGE["sets"])
    assert again.ok
    assert statuses(again.checks)[PARITY]


def test_a_check_that_breaks_off_fails_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*given: Any) -> Check:
        raise RuntimeError("no kernel\nand more")

    monkeypatch.setattr(proof, "parity", broken)
    verdict = verify(archspec.load(decoder()))
    assert not verdict.ok
    failing = [check for check in verdict.checks if check.ok is False]
    assert [(c.name, c.reason) for c in failing] == [(PARITY, "RuntimeError: no kernel")]
    assert statuses(verdict.checks)["no look ahead"]


def test_the_check_that_a_build_ends_with() -> None:
    check = agreement(archspec.load(decoder()))
    assert check.ok
    assert check.name == PARITY


def test_a_rounded_build_is_held_against_the_weights_it_was_given() -> None:
    """Weights that integers hold exactly lose less than drawn ones, and the check says which."""
    spec = archspec.load(WIDE)
    target = Target("cpu", "int4")
    drawn = agreement(spec, target=target)
    given = agreement(spec, target=target, state=whole_numbers)
    assert "drawn weights; run at full size" in drawn.reason
    assert "weights as given; run at full size" in given.reason
    assert given.measured is not None and drawn.measured is not None
    assert given.measured < drawn.measured / 4


def test_a_spec_that_does_not_fit_is_refused() -> None:
    spec = decoder(dim=18)
    with pytest.raises(SpecError):
        verify(archspec.load(spec))
