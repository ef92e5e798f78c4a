"""Words become a setting: floats, or integers of a build."""

import pytest

from compiler.answer import CannotAnswer
from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Target
from compiler.passes.choosing import chosen
from compiler.passes.setting import Setting

FINE = (Choice("*", Integers(4, 32, "zero-point")),)


@pytest.mark.parametrize(
    ("precision", "target", "meant"),
    [
        ("bf16", "", Setting()),
        ("fp32", "", Setting("fp32")),
        ("int4", "", Setting("bf16", rounded=Target("cuda", "int4"))),
        ("int8", "cpu", Setting("fp32", rounded=Target("cpu", "int8"))),
        (
            "int4:zero-point:32",
            "cpu",
            Setting("fp32", rounded=Target("cpu", "int4", choices=FINE)),
        ),
    ],
)
def test_floats_are_for_all_and_integers_for_weights(
    precision: str, target: str, meant: Setting
) -> None:
    made = chosen(precision, target)
    assert made == meant
    words = made.words()
    assert chosen(words.pop("precision"), words.pop("target", ""), **words) == meant


@pytest.mark.parametrize(
    ("precision", "target", "said"),
    [
        ("int3", "", "`--precision` does not know `int3`"),
        ("bf16:32", "", "`--precision` does not know `32`"),
        ("int4:column", "", "`--precision` does not know `column`"),
        ("int4", "portable", "`--target` does not know `portable`"),
        ("bf16", "cpu", "`--target` is about integers"),
    ],
)
def test_what_is_no_setting_is_refused(precision: str, target: str, said: str) -> None:
    with pytest.raises(CannotAnswer) as caught:
        chosen(precision, target)
    assert caught.value.message == said and caught.value.help


def test_a_gpu_is_not_taken_for_a_cpu() -> None:
    with pytest.raises(CannotAnswer, match="does not know `gpu`") as caught:
        chosen("int8", "gpu")
    assert caught.value.help == "did you mean `cuda`?"
