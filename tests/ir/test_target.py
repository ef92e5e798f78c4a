"""A target says what may stand in a file."""

from compiler.ir.target import PORTABLE, PRECISIONS, PROVIDERS, Target


def test_only_portable_models_have_standard_operators_alone() -> None:
    assert [name for name in PROVIDERS if not Target(provider=name).fuses] == ["portable"]  # type: ignore[arg-type]
    assert Target("portable", "fp32") == PORTABLE
    assert PRECISIONS[0] == "fp32"
