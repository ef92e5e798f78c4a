"""Logits among the outputs of a model."""

import pytest

from compiler.ir.size import constant
from compiler.passes.logits import logits_of, scores
from tests.verify.models import decoder, encoder, made


@pytest.mark.parametrize("outputs", [["h", "logits"], ["logits", "h"], ["logits"]])
def test_logits_are_known_among_other_outputs(outputs: list[str]) -> None:
    found = made({**decoder(), "outputs": outputs}).whole
    assert logits_of(found) == "logits"
    assert [constant(found.key.fix(size)) for size in scores(found).values()] == [31]


def test_states_are_no_logits_though_they_are_as_wide() -> None:
    wide = decoder(vocab=16)
    assert logits_of(made({**wide, "outputs": ["h"]}).whole) == ""
    assert logits_of(made({**wide, "outputs": ["h", "logits"]}).whole) == "logits"
    assert logits_of(made(encoder()).whole) == ""
