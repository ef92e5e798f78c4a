"""Every spec of the repository, whole and as a small sibling that runs anywhere."""

from functools import cache

import archspec
from compiler.ir.program import Program
from compiler.ops.recurrence import AnyRecurrence
from compiler.passes.served import served
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.shrink import shrunken
from tests.shipped import DISTINCT, ROOT


@cache
def whole(path: str) -> Compiled:
    """A spec at full size."""
    made = compiled(archspec.load(ROOT / path))
    assert isinstance(made, Compiled), made
    return made


@cache
def small(path: str) -> Compiled:
    """The shrunken sibling of a spec."""
    return shrunken(whole(path), lambda more: archspec.read(ROOT / path, set=more)).made


def forms(path: str) -> tuple[Program, ...]:
    """What the ONNX files of a spec compute, at full size."""
    return tuple(served(whole(path).fused).values())


def form(path: str) -> Program:
    """The same of a spec that has one file."""
    (found,) = forms(path)
    return found


def decodes(path: str) -> bool:
    """Whether a spec decodes with a cache of keys and values."""
    made = compiled(archspec.load(ROOT / path))
    return isinstance(made, Compiled) and bool(made.program.grown)


DECODERS = [path for path in DISTINCT if decodes(path)]


def recurs(path: str) -> bool:
    """Whether a spec has a recurrence, which torch exports at one length and compiles in parts."""
    nodes = (node for _, node, _ in whole(path).program.flat())
    return any(isinstance(node.what, AnyRecurrence) for node in nodes)


RECURRENT = [path for path in DISTINCT if recurs(path)]
