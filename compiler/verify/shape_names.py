"""Names against shapes: a tensor called `x_BTD` is [B, T, D] whenever its line has run."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

from compiler.verify.module import source_name
from compiler.verify.verdict import Check, failed

NAMED: Final = re.compile(r"_([A-Z0-9]*[A-Z][A-Z0-9]*)$")
LETTER: Final = re.compile(r"[A-Z]$")


@dataclass
class Watch:
    """What was seen while the functions of one generated module ran.

    Attributes:
        checked: how many names of tensors, each function's counted once.
        wrong: what does not hold, in words.
    """

    file: str
    checked: set[tuple[str, str]] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def check(self, name: str) -> Check:
        """The verdict: no name lies, and there are names."""
        if not self.checked:
            return failed(name, "no tensor is named after its dimensions")
        if self.wrong:
            more = f" and {len(self.wrong) - 1} more" * (len(self.wrong) > 1)
            return Check(name, False, len(self.wrong), 0, "wrong", True, self.wrong[0] + more)
        return Check(name, True, 0, 0, "wrong", True, f"{len(self.checked)} tensors")


@contextmanager
def watching(name: str) -> Iterator[Watch]:
    """Watch every function of the generated module `name` that runs inside.

    A capital letter is a size: fixed where the module has a constant of that name, else the same
    throughout one call of a function; a digit stands for itself.
    """
    watch = Watch(source_name(name))
    before = sys.gettrace()
    sys.settrace(_tracer(watch))
    try:
        yield watch
    finally:
        sys.settrace(before)


def _tracer(watch: Watch) -> Callable[[FrameType, str, Any], Any]:
    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        del event, argument
        if frame.f_code.co_filename != watch.file or frame.f_code.co_name == "<module>":
            return None
        bound: dict[str, int] = {}
        known: dict[str, int] = {}
        function = frame.f_code.co_qualname

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            del event, argument
            for name, value in frame.f_locals.items():
                if known.get(name) == id(value):
                    continue
                known[name] = id(value)
                fault = look(name, value, frame.f_globals, bound)
                if fault is None:
                    continue
                watch.checked.add((function, name))
                if fault:
                    watch.wrong.append(f"{function} line {frame.f_lineno}: {fault}")
            return step

        return step

    return enter


def look(name: str, value: Any, constants: Mapping[str, Any], bound: dict[str, int]) -> str | None:
    """What is wrong with a name, nothing (""), or None where it makes no claim.

    `bound` gathers the sizes of free letters; an integer called by a single letter binds it too.
    """
    if LETTER.match(name) and type(value) is int:
        return _bind(name, value, constants, bound) or None
    found = NAMED.search(name)
    shape = getattr(value, "shape", None)
    if found is None or shape is None or not isinstance(shape, tuple):
        return None
    marks = found[1]
    if len(marks) != len(shape):
        return f"`{name}` has {len(shape)} dimensions: {list(shape)}"
    for mark, size in zip(marks, shape, strict=True):
        fault = _bind(mark, int(size), constants, bound)
        if fault:
            return f"`{name}` is {list(shape)}: {fault}"
    return ""


def _bind(mark: str, size: int, constants: Mapping[str, Any], bound: dict[str, int]) -> str:
    if mark.isdigit():
        wanted = int(mark)
    elif type(constants.get(mark)) is int:
        wanted = constants[mark]
    else:
        wanted = bound.setdefault(mark, size)
    return "" if wanted == size else f"{mark} is {wanted}, not {size}"
