"""What a program that serves a decoder is told of its outputs."""

from pathlib import Path
from typing import Any

import pytest

from compiler.backends.onnx.decoder import decoder_of
from compiler.backends.onnx.walk import unrolled
from compiler.runtime.roles import growing
from compiler.verify.module import build
from compiler.verify.parity import onnx_session
from tests.verify.models import decoder, made


@pytest.mark.parametrize("outputs", [["h", "logits"], ["logits", "h"], ["logits"]])
def test_logits_are_known_among_other_outputs(outputs: list[str], tmp_path: Path) -> None:
    found: Any = made({**decoder(), "outputs": outputs})
    told = decoder_of(found.whole, unrolled(found.whole))
    assert told is not None
    assert (told.logits, told.vocabulary) == ("logits", 31)
    session = onnx_session(found.files, build(found.generated), tmp_path)
    assert growing(session).logits == "logits"


def test_states_alone_are_no_logits() -> None:
    found = made({**decoder(), "outputs": ["h"]}).whole
    assert decoder_of(found, unrolled(found)) is None
