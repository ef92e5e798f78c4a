"""`--target`, `--precision` and `--precision-map`: words become a target or a refusal."""

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.target import REFUSED, choice, target_of
from compiler.ir.integers import Integers
from compiler.ir.target import PRECISIONS, PROVIDERS, Choice, Target


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_a_target_cannot_run_is_refused_with_what_to_take(
    provider: str, precision: str
) -> None:
    if (provider, precision) not in REFUSED:
        made = target_of(provider, precision)
        assert (made.provider, made.precision) == (provider, precision)
        return
    with pytest.raises(CannotAnswer) as caught:
        target_of(provider, precision)
    assert "--target" in caught.value.help or "take" in caught.value.help


def test_a_gpu_is_not_taken_for_a_cpu() -> None:
    with pytest.raises(CannotAnswer, match="does not know `gpu`") as caught:
        target_of("gpu", None)
    assert caught.value.help == "did you mean `cuda`?"


def test_every_target_runs_some_precision() -> None:
    refused = set(REFUSED)
    assert all(any((p, n) not in refused for n in PRECISIONS) for p in PROVIDERS)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("head=float", Choice("head", None)),
        ("h.*=int4", Choice("h.*", Integers(4, 128, "fitted"))),
        ("h.*=int8", Choice("h.*", Integers(8, 128, "symmetric"))),
        ("*=int8:32", Choice("*", Integers(8, 32, "symmetric"))),
        ("*=int8:column", Choice("*", Integers(8, None, "symmetric"))),
        ("*=int4:zero-point:32", Choice("*", Integers(4, 32, "zero-point"))),
    ],
)
def test_a_choice_is_paths_and_their_numbers(said: str, meant: Choice) -> None:
    assert choice(said) == meant


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("h.*", "does not understand"),
        ("=int4", "does not understand"),
        ("h=int3", "does not know `int3`"),
        ("h=int4:column", "does not know `column`"),
        ("h=int4:33", "does not know `33`"),
        ("h=int4:32:64", "is given both `32` and `64`"),
        ("h=int8:fitted:column:symmetric", "is given both `fitted` and `symmetric`"),
        ("h=float:32", "does not know `32`"),
        ("h=int8:", "does not know ``"),
    ],
)
def test_what_is_no_choice_is_refused(said: str, words: str) -> None:
    with pytest.raises(CannotAnswer) as caught:
        choice(said)
    assert words in caught.value.message and caught.value.help


def test_a_precision_says_blocks_and_rounding_as_a_choice_does() -> None:
    every = Choice("*", Integers(4, 32, "zero-point"))
    assert target_of("cpu", "int4:zero-point:32") == Target("cpu", "int4", choices=(every,))
    made = target_of("cpu", "int4:32", choices=["head=float"])
    assert made.integers("head") is None and made.integers("h.0.o") == Integers(4, 32)
    for said, words in (("int4:nearest", "`nearest`"), ("fp32:32", "`32`"), ("int3:32", "`int3`")):
        with pytest.raises(CannotAnswer, match=words) as caught:
            target_of("cpu", said)
        assert "`--precision`" in caught.value.message and caught.value.help


def test_a_portable_model_has_no_choices() -> None:
    with pytest.raises(CannotAnswer, match="ONNX Runtime's own"):
        target_of("portable", "fp32", choices=["*=int8"])
    assert target_of("cpu", "fp32", "all", ["*=float"]) == Target(
        "cpu", "fp32", "all", (Choice("*", None),)
    )


def test_a_device_computes_in_bf16_where_nobody_says_otherwise() -> None:
    found = {each: target_of(each, None).precision for each in ("portable", "cpu", "cuda")}
    assert found == {"portable": "fp32", "cpu": "fp32", "cuda": "bf16"}
    assert target_of("cuda", "fp32") == Target("cuda")
