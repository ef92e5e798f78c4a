"""One spec on its way through the compiler, as far as a proof needs it."""

from functools import cached_property

from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic
from archspec.source.frozen import Frozen
from compiler import __version__
from compiler.backends.torch import Facts, Generated, torch_source
from compiler.ir.program import Program
from compiler.ir.size import total, value
from compiler.lower import lower
from compiler.passes.fold import fold
from compiler.passes.fuse import fuse
from compiler.passes.served import in_one, served
from compiler.passes.shapes import shapes


class Compiled(Frozen):
    """A spec and its program, folded; the rest is made when it is asked for."""

    spec: Spec
    program: Program

    @cached_property
    def fused(self) -> Program:
        """The program that source is made from."""
        return fuse(self.program)

    @cached_property
    def whole(self) -> Program:
        """The program in one piece, with the outputs of all positions."""
        return in_one(self.fused)

    @cached_property
    def files(self) -> dict[str, Program]:
        """The programs that ONNX is made from, with the outputs of all positions."""
        return served(self.fused, "all")

    @cached_property
    def head(self) -> str:
        """The input that a decoder's file reads bit by bit; empty where there is none."""
        return next((each.grown for each in self.files.values() if each.grown), "")

    @cached_property
    def generated(self) -> Generated:
        """The source of `model.py`."""
        facts = Facts(__version__, self.spec.path, self.spec.digest, "", "")
        return torch_source(self.fused, facts)

    @property
    def parameters(self) -> int:
        """Elements of weights that are trained."""
        known = self.program.parameters().values()
        found = total(parameter.count for parameter in known if parameter.trained)
        return value(found, self.program.key.sizes)


def compiled(spec: Spec) -> Compiled | tuple[Diagnostic, ...]:
    """A spec lowered, or what makes it impossible."""
    program = lower(spec)
    return Compiled(spec, fold(shapes(program))) if isinstance(program, Program) else program
