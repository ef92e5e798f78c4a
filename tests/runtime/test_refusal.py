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
        (
            "failed:/a/onnxruntime/core/x.h:46 void onnxruntime::a::F(const A<b>&, int) no",
            "failed:no",
        ),
        (
            "Message: /a/onnxruntime/x.cc:1 void* onnxruntime::A::B() const Failed",
            "Message: Failed",
        ),
        ("Status: /a/onnxruntime/core/x.cc:71 no", "Status: no"),
        ("Error in execution: ...", "Error in execution: ..."),
        ("x" * 999, "x" * MOST),
    ],
)
def test_codes_and_places_are_left_out(said: str, left: str) -> None:
    assert refusal(RuntimeError(said)) == left
