"""What the table answers, against facts that were measured by running or read in the registry."""

import pytest

from compiler.backends.onnx.kernels import Kernel, kept_versions, table


def takes(provider: str, name: str, opset: int, **types: str) -> bool:
    schema = table().schema(name, opset)
    assert schema is not None
    return any(each.takes(types) for each in table().serving(provider, name, schema.since))


@pytest.mark.parametrize(
    ("provider", "name", "types", "wanted"),
    [
        ("cpu", "Attention", {"T1": "float", "T2": "float", "U": "bool"}, True),
        ("cpu", "Attention", {"T1": "bfloat16", "T2": "bfloat16"}, False),
        ("cuda", "Attention", {"T1": "bfloat16", "T2": "bfloat16"}, True),
        ("cpu", "com.microsoft.GroupQueryAttention", {"T": "float"}, True),
        ("cuda", "com.microsoft.GroupQueryAttention", {"T": "float"}, False),
        ("cuda", "com.microsoft.GroupQueryAttention", {"T": "bfloat16"}, True),
        ("cpu", "com.microsoft.MoE", {"T": "float16"}, False),
        ("cpu", "MatMul", {"T": "bfloat16"}, False),
        ("cuda", "com.microsoft.DynamicQuantizeMatMul", {"T1": "float", "T2": "int8"}, False),
    ],
)
def test_kernels(provider: str, name: str, types: dict[str, str], wanted: bool) -> None:
    assert takes(provider, name, 23, **types) is wanted


def test_an_operator_is_what_its_operator_set_says() -> None:
    found = table()
    assert found.schema("Attention", 22) is None
    assert [found.schema("Attention", n).since for n in (23, 24)] == [23, 24]  # type: ignore[union-attr]
    assert found.schema("com.microsoft.MoE", 18) is not None
    assert found.schema("Nonsense", 23) is None
    equal = found.schema("Equal", 23)
    assert equal is not None and equal.outputs == ("=bool",)


def test_a_kernel_without_an_end_serves_no_later_version() -> None:
    assert Kernel(13, None, {}).serves(13)
    assert not Kernel(13, None, {}).serves(19)
    assert Kernel(13, 18, {}).serves(18) and not Kernel(13, 18, {}).serves(19)


def test_a_function_has_no_kernel_of_its_own() -> None:
    assert not takes("cpu", "Swish", 24, T="float")


def test_versions_are_in_order() -> None:
    assert table().runtime == kept_versions()[-1]
