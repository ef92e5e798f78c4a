"""Kernels of one operator as few entries, and the document as text."""

import json

from compiler.backends.onnx.kernels.registry import Kernel, merged, text


def kernel(first: int, last: int | None, **types: tuple[str, ...]) -> Kernel:
    return first, last, tuple(types.items())


def test_kernels_that_differ_in_one_type_are_one() -> None:
    found = [kernel(1, None, T=(each,)) for each in ("float16", "float", "bfloat16")]
    assert merged(found) == [kernel(1, None, T=("float", "float16", "bfloat16"))]


def test_kernels_that_differ_in_two_types_stay_apart() -> None:
    found = [kernel(1, None, T=(each,), V=(each,)) for each in ("float", "float16")]
    assert merged(found) == found


def test_kernels_of_other_versions_stay_apart() -> None:
    found = [kernel(13, 18, T=("float",)), kernel(19, None, T=("int64",))]
    assert merged(found) == found


def test_a_second_type_can_grow_after_the_first() -> None:
    """Four kernels, a product of two types with two types."""
    found = [
        kernel(1, None, T=(one,), V=(other,))
        for one in ("float", "float16")
        for other in ("int64", "int32")
    ]
    assert merged(found) == [kernel(1, None, T=("float", "float16"), V=("int64", "int32"))]


def test_the_text_is_its_document_an_operator_a_line() -> None:
    document = {
        "runtime": "1.0",
        "schemas": {"Relu": [[14, "T", "T"]], "com.microsoft.MoE": [[1, "T T?", "T"]]},
        "cpu": {"Relu": [[14, None, {"T": "float"}]]},
        "cuda": {},
    }
    said = text(document)
    assert json.loads(said) == document
    assert '  "Relu": [[14, "T", "T"]],\n' in said
