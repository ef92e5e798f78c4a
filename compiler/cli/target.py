"""`--target`, `--precision` and `--precision-map`: what an ONNX model is made for, in words."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from compiler.answer import CannotAnswer
from compiler.ir.said import everywhere, integers_said, known
from compiler.ir.target import (
    BITS,
    LOGITS,
    PROVIDERS,
    Choice,
    Logits,
    Provider,
    Target,
)

FLOATS: Final = "float"
INSTEAD: Final = "take fp32, int8 or int4, or `--target cuda`"

USUAL: Final = {"cuda": "bf16"}
"""The precision of a provider where nobody says one, else fp32."""

REFUSED: Final[Mapping[tuple[str, str], tuple[str, str]]] = {
    ("portable", "int8"): (
        "int8 weights need operators of ONNX Runtime's own",
        "say `--target cpu` or `--target cuda`",
    ),
    ("portable", "int4"): (
        "int4 weights need operators of ONNX Runtime's own",
        "say `--target cpu` or `--target cuda`",
    ),
    ("portable", "fp16"): ("portable models are fp32", "say `--target cuda` for fp16"),
    ("portable", "bf16"): ("portable models are fp32", "say `--target cuda` for bf16"),
    ("cpu", "fp16"): ("fp16 is no faster on a CPU: every product is cast to fp32", INSTEAD),
    ("cpu", "bf16"): ("ONNX Runtime has no kernels for bf16 on a CPU", INSTEAD),
}
"""What a target cannot run, or runs to no good: why, and what to take instead."""


def target_of(
    provider: str, precision: str | None, logits: str = "last", choices: Sequence[str] = ()
) -> Target:
    """A target from the words of the command line; `precision` may be `int4:32:zero-point` too, and
    None is what a provider computes best without rounding: fp16 overflows where bf16 does not.

    Raises `CannotAnswer` for unknown words and for a precision that the target cannot run.
    """
    known("--target", provider, PROVIDERS)
    kind, every = everywhere("--precision", precision or USUAL.get(provider, "fp32"))
    known("--logits", logits, LOGITS)
    if (provider, kind) in REFUSED:
        raise CannotAnswer(*REFUSED[provider, kind])
    found = tuple(map(choice, choices))
    if found and provider == "portable":
        raise CannotAnswer(
            "`--precision-map` is about ONNX Runtime's own operators",
            "say `--target cpu` or `--target cuda`",
        )
    return Target(cast(Provider, provider), kind, cast(Logits, logits), (*found, *every))


def choice(said: str) -> Choice:
    """`PATHS=float`, `PATHS=int4`, `PATHS=int8:32`, `PATHS=int8:column`, `PATHS=int4:32:fitted`."""
    pattern, _, numbers = said.partition("=")
    word, *more = numbers.split(":")
    if not pattern or not word:
        raise CannotAnswer(
            f"`--precision-map` does not understand `{said}`",
            "give paths and their numbers, such as `h.*.mlp.*=int8:32`",
        )
    known("--precision-map", word, (FLOATS, *BITS))
    return Choice(pattern, integers_said("--precision-map", word, more))
