"""What a command line gives to a model: ids as arrays, and what accompanies them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from archspec.source.suggest import did_you_mean
from compiler.answer import CannotAnswer
from compiler.runtime.refusal import refusal
from compiler.runtime.roles import id_inputs, neutral, owner, shown
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from compiler.runtime.kept import Array, Past

IDS: Final = re.compile(r"(?:(?P<name>[A-Za-z_]\w*)=)?(?P<ids>\d+(?:[, ]\s*\d+)*)", re.ASCII)
USAGE: Final = "write ids as `1,2,3`, or `tgt_ids=1,2,3` for an input by its name"
MOST: Final = 2**31


def parse_ids(words: Sequence[str], first: str | None) -> dict[str, list[list[int]]]:
    """Rows of ids by the input they are for; a list without a name is for `first`.

    Raises `CannotAnswer` for a word that is no list of ids.
    """
    found: dict[str, list[list[int]]] = {}
    for word in words:
        match = IDS.fullmatch(word.strip())
        if match is None:
            raise CannotAnswer(f"`{word[:80]}` is not a list of ids", USAGE)
        name = match["name"] or first
        if name is None:
            raise CannotAnswer("the model takes no ids", "give its inputs as arrays, by `--input`")
        ids = [_id(digits) for digits in re.findall(r"\d+", match["ids"])]
        found.setdefault(name, []).append(ids)
    return found


def _id(digits: str) -> int:
    if len(digits) > 10 or int(digits) >= MOST:
        raise CannotAnswer(f"`{digits[:40]}` is too large for an id")
    return int(digits)


def check_names(session: Session, names: Iterable[str]) -> None:
    """Raises `CannotAnswer` for a name that no input has."""
    unknown = next((name for name in names if name not in session.inputs), None)
    if unknown is not None:
        hint = did_you_mean(unknown, tuple(session.inputs)) or _takes(session)
        raise CannotAnswer(f"the model has no input `{unknown}`", hint)


def completed(session: Session, given: Mapping[str, "Array"]) -> dict[str, "Array"]:
    """`given` with what accompanies ids: a mask that hides nothing, segments of one document.

    Raises `CannotAnswer` where an input is unknown, missing, empty or has a negative id. Kernels of
    attention do not all refuse an empty one: some divide by its length, which ends the process.
    """
    import numpy as np

    whole = dict(given)
    for name in session.inputs:
        stem = owner(session, name)
        if name not in whole and stem in whole:
            whole[name] = np.full(whole[stem].shape[:2], neutral(name), session.kinds[name])
    check_names(session, whole)
    missing = next((name for name in session.inputs if name not in whole), None)
    if missing is not None and missing not in session.zeros:
        raise CannotAnswer(f"nothing is given for `{missing}`", _takes(session))
    empty = {name: array.shape for name, array in whole.items() if not array.size}
    if empty:
        raise CannotAnswer(f"nothing is in {shown(empty)}", "give at least one row and one place")
    for name in id_inputs(session):
        if whole[name].min() < 0:
            raise CannotAnswer(f"`{name}` has an id below 0")
    return whole


def run_given(session: Session, given: Mapping[str, "Array"]) -> dict[str, "Array"]:
    """Every output of the model; raises `CannotAnswer` for inputs that it cannot be run on."""
    outputs, _ = step_given(session, given, None)
    return outputs


def step_given(
    session: Session, given: Mapping[str, "Array"], past: "Past | None"
) -> "tuple[dict[str, Array], Past]":
    """Every output and what a decoder keeps; raises `CannotAnswer` as `run_given`.

    `past` is what the step before has kept, None at the beginning.
    """
    whole = completed(session, given)
    try:
        return session.step(whole, past)
    except ValueError as error:
        raise CannotAnswer(str(error), _takes(session)) from error
    except Exception as error:
        if not _of_runtime(error):
            raise
        shapes = shown({name: array.shape for name, array in whole.items()})
        raise CannotAnswer(
            f"the model cannot be run on {shapes}: {refusal(error)}",
            "an id may lie beyond the vocabulary, or a sequence beyond the longest one",
        ) from error


def _of_runtime(error: Exception) -> bool:
    """Whether ONNX Runtime refused to run; what is bound fails with a plain RuntimeError."""
    said = type(error) is RuntimeError and str(error).startswith("Error in execution")
    return said or type(error).__module__.startswith("onnxruntime.")


def _takes(session: Session) -> str:
    return f"it takes {shown(session.inputs)}"
