"""What ONNX Runtime says, in the words that are for a reader."""

import pytest

from compiler.runtime.refusal import MOST, refusal


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("[ONNXRuntimeError] : 7 : INVALID_PROTOBUF : Load failed:\n bad", "Load failed: bad"),
        (
            "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Got: 31 Expected: 32",
            "Got: 31 Expected: 32",
        ),
        ("1 : FAIL : /a/onnxruntime/core/x.cc:71 f() no", "1 : FAIL : f() no"),
        ("Error in execution: ...", "Error in execution: ..."),
        ("x" * 999, "x" * MOST),
    ],
)
def test_codes_and_places_are_left_out(said: str, left: str) -> None:
    assert refusal(RuntimeError(said)) == left
