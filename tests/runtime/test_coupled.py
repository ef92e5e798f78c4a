"""An encoder and a decoder as one: what goes between them stays where it was made."""

import re
from pathlib import Path

import numpy as np
import pytest

from compiler.runtime.coupled import Coupled
from compiler.verify.module import build
from compiler.verify.parity import onnx_session
from tests.lower.specs import encoder_decoder
from tests.passes.test_recurrent import PAIRS
from tests.verify.models import Mapping, made

SOURCE = np.array([[3, 1, 4], [1, 5, 2]])
CASES: dict[str, tuple[Mapping, str]] = {
    "keys and values": (encoder_decoder(), r"present\.\d\.encoder\.(key|value)"),
    "what is read at every step": (
        PAIRS["the state at every step too"],
        r"present_state\.dec\.h|memory_final",
    ),
    "but no output": (PAIRS["memory too"], r"present_state\.dec\.h"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_handed_over_stays(name: str, tmp_path: Path) -> None:
    spec, staying = CASES[name]
    found = made(spec)
    session = onnx_session(found.files, build(found.generated), tmp_path)
    assert isinstance(session, Coupled)
    encoder = session._encoder
    given = {"src": SOURCE, "src_mask": np.ones(SOURCE.shape, bool)}
    wanted = encoder.run(given)
    there = dict(zip(wanted, encoder._run_there(given, [*wanted]), strict=True))
    stays = {each for each, value in there.items() if not isinstance(value, np.ndarray)}
    assert stays == {each for each in wanted if re.fullmatch(staying, each)} != set()
    for each, value in there.items():
        kept = value if isinstance(value, np.ndarray) else value.numpy()
        np.testing.assert_array_equal(kept, wanted[each])
