"""A target says what may stand in a file."""

import pytest

from compiler.answer import CannotAnswer
from compiler.ir.integers import Integers
from compiler.ir.target import PORTABLE, PRECISIONS, PROVIDERS, Choice, Precision, Target


def test_only_portable_models_have_standard_operators_alone() -> None:
    assert [name for name in PROVIDERS if not Target(provider=name).fuses] == ["portable"]  # type: ignore[arg-type]
    assert Target("portable", "fp32") == PORTABLE
    assert PRECISIONS[0] == "fp32"


@pytest.mark.parametrize("precision", PRECISIONS[1:])
def test_portable_models_are_fp32(precision: Precision) -> None:
    with pytest.raises(CannotAnswer, match="portable models are fp32") as caught:
        Target("portable", precision)
    assert "`cpu` or `cuda`" in caught.value.help
    with pytest.raises(CannotAnswer, match="portable models are fp32"):
        Target(choices=(Choice("*", Integers(8)),))


def test_what_reads_a_sequence_at_once_rounds_the_inputs_too_on_a_cpu() -> None:
    encoder = Target("cpu", "int8").suited(cached=False)
    assert encoder.integers("h.0.mlp.up") == Integers(8, None, "symmetric")
    decoder = Target("cpu", "int8").suited(cached=True)
    assert decoder.integers("h.0.mlp.up") == Integers(8, 128, "symmetric")
    assert Target("cuda", "int8").suited(cached=False).integers("x") == decoder.integers("x")


def test_a_choice_is_made_by_path_and_the_first_that_fits_decides() -> None:
    fine = Integers(8, 32, "symmetric")
    target = Target("cpu", "int4", choices=(Choice("h.*.down", fine), Choice("h.*", None)))
    assert target.integers("h.3.mlp.down") == fine
    assert target.integers("h.3.mlp.up") is None
    assert target.integers("head") == Integers(4, 128, "fitted")
    assert PORTABLE.integers("head") is None


def test_what_is_not_rounded_is_bf16_on_cuda_and_fp32_on_a_cpu() -> None:
    assert Target("cuda", "int4").floats == "bf16"
    assert Target("cpu", "int8").floats == PORTABLE.floats == "fp32"
    assert Target("cuda", "fp16").floats == "fp16"
    assert Target("cuda", "fp16").on_cpu == Target("cpu")
    assert Target("cuda", "int4").on_cpu == Target("cpu", "int4")


@pytest.mark.parametrize("precision", ["int8", "int4"])
def test_a_cpu_stands_in_with_the_same_integers(precision: Precision) -> None:
    """Of what reads a sequence at once too, for which a CPU by itself has whole columns."""
    some = (Choice("h.*.up", Integers(4, 32, "symmetric")), Choice("tok", None))
    for target in (Target("cuda", precision), Target("cuda", precision, choices=some)):
        stands = target.on_cpu.suited(cached=False)
        for path in ("h.0.mlp.up", "h.0.mlp.down", "tok"):
            assert stands.integers(path) == target.suited(cached=False).integers(path)
