"""What a command line gives: lists of ids, files of arrays, and what accompanies them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.runtime.given import completed, parse_ids, run_given
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from tests.backends.onnx.built import build, compiled, random_weights
from tests.runtime.test_session import ENCODER, IDS


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder: Path = tmp_path_factory.mktemp("tiny")
    program = compiled(ENCODER)
    build(program, random_weights(program), folder)
    return open_session(folder, threads=1, device="cpu")


def test_ids_are_read_by_name_or_for_the_first_input() -> None:
    found = parse_ids(["1,2, 3", "tgt_ids=4 5", "6"], "src_ids")
    assert found == {"src_ids": [[1, 2, 3], [6]], "tgt_ids": [[4, 5]]}


@pytest.mark.parametrize(
    "words",
    [
        [""],
        ["a"],
        ["1,"],
        ["-1"],
        ["1.5"],
        ["=1"],
        ["x="],
        ["\N{ARABIC-INDIC DIGIT ONE}"],
        ["9" * 99],
    ],
)
def test_what_is_no_list_of_ids_is_refused(words: list[str]) -> None:
    with pytest.raises(CannotAnswer):
        parse_ids(words, "ids")


def test_a_mask_that_is_not_given_hides_nothing(session: Session) -> None:
    found = completed(session, {"ids": IDS})
    assert found["ids_mask"].dtype == np.bool_
    assert found["ids_mask"].all()
    assert found["ids_mask"].shape == IDS.shape
    alone = run_given(session, {"ids": IDS})
    masked = session.run({"ids": IDS, "ids_mask": np.ones((2, 3), bool)})
    assert all(np.array_equal(alone[name], masked[name]) for name in masked)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "nothing is given for `ids`"),
        ({"ids": IDS, "x": IDS}, "no input `x`"),
        ({"ids": IDS - 1}, "an id below 0"),
        ({"ids": IDS[:0]}, r"nothing is in `ids` \[0, 3\]"),
        ({"ids": IDS[:, :0]}, r"nothing is in `ids` \[2, 0\]"),
        ({"ids": IDS[0]}, "`ids` is"),
        ({"ids": IDS.astype("f4")}, "`ids` is int64, not float32"),
        ({"ids": np.array([[61]])}, r"cannot be run on `ids` \[1, 1\]"),
        ({"ids": np.zeros((1, 17), int)}, r"cannot be run on `ids` \[1, 17\]"),
    ],
)
def test_wrong_inputs_are_said_once(
    session: Session, given: dict[str, Any], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CannotAnswer, match=said):
        run_given(session, given)
    assert capfd.readouterr().err == ""
