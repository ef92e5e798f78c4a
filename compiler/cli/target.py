"""`--target`, `--precision` and `--precision-map`: what an ONNX model is made for, in words."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from archspec.source.suggest import did_you_mean, listed
from compiler.answer import CannotAnswer
from compiler.ir.integers import BLOCKS, ROUNDINGS, WIDE, Integers, Rounding
from compiler.ir.target import (
    BITS,
    LOGITS,
    PRECISIONS,
    PROVIDERS,
    Choice,
    Logits,
    Precision,
    Provider,
    Target,
)

FLOATS: Final = "float"
COLUMN: Final = "column"
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
    _known("--target", provider, PROVIDERS)
    kind, *more = (precision or USUAL.get(provider, "fp32")).split(":")
    _known("--precision", kind, PRECISIONS)
    _known("--logits", logits, LOGITS)
    if (provider, kind) in REFUSED:
        raise CannotAnswer(*REFUSED[provider, kind])
    found = tuple(map(choice, choices))
    if found and provider == "portable":
        raise CannotAnswer(
            "`--precision-map` is about ONNX Runtime's own operators",
            "say `--target cpu` or `--target cuda`",
        )
    if more:
        found = (*found, Choice("*", _numbers("--precision", kind, more)))
    return Target(cast(Provider, provider), cast(Precision, kind), cast(Logits, logits), found)


def choice(said: str) -> Choice:
    """`PATHS=float`, `PATHS=int4`, `PATHS=int8:32`, `PATHS=int8:column`, `PATHS=int4:32:fitted`."""
    pattern, _, numbers = said.partition("=")
    word, *more = numbers.split(":")
    if not pattern or not word:
        raise CannotAnswer(
            f"`--precision-map` does not understand `{said}`",
            "give paths and their numbers, such as `h.*.mlp.*=int8:32`",
        )
    _known("--precision-map", word, (FLOATS, *BITS))
    return Choice(pattern, _numbers("--precision-map", word, more))


def _numbers(option: str, word: str, more: Sequence[str]) -> Integers | None:
    """Integers of a kind with a block and a rounding, in any order; None for floats."""
    bits = BITS.get(word)
    if bits is None:
        for each in more:
            _known(option, each, ())
        return None
    block: int | None = WIDE
    rounding: Rounding = "fitted" if bits == 4 else "symmetric"
    for each in more:
        blocks = (*map(str, BLOCKS), *((COLUMN,) if bits == 8 else ()))
        _known(option, each, (*blocks, *ROUNDINGS))
        if each in ROUNDINGS:
            rounding = cast(Rounding, each)
        else:
            block = None if each == COLUMN else int(each)
    return Integers(bits, block, rounding)


def _known(option: str, word: str, known: Sequence[str]) -> None:
    if word in known:
        return
    near = did_you_mean(word, known)
    hint = near or (f"give {listed(known)}" if known else "floats have no blocks and no rounding")
    raise CannotAnswer(f"`{option}` does not know `{word}`", hint)
