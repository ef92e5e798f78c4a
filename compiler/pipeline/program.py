"""What `compiler.compile` gives: one spec compiled, as an object to ask."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from archspec.model.spec import Spec
from archspec.source.expect import expect
from archspec.source.frozen import Frozen
from compiler.ir.program import Program as Graphs
from compiler.ir.target import PORTABLE, Target
from compiler.passes.fuse import fuse
from compiler.passes.served import served
from compiler.pipeline.passes import lowered
from compiler.report.costs import CostReport

if TYPE_CHECKING:
    from compiler.backends.onnx import Emitted
    from compiler.report.diff.difference import Difference
    from compiler.verify import Verdict


class Program(Frozen):
    """A compiled spec. Nothing is written before it is asked for."""

    spec: Spec

    @cached_property
    def graphs(self) -> Graphs:
        """The folded intermediate representation. Raises SpecError."""
        return lowered(self.spec)

    def __str__(self) -> str:
        """The intermediate representation as text."""
        from compiler.ir.text import program_text

        return program_text(self.graphs)

    def _repr_html_(self) -> str:
        """For a notebook."""
        from compiler.ir.notebook import program_html

        return program_html(self.graphs)

    def torch(self) -> str:
        """The source of `model.py`."""
        from compiler.pipeline.texts import source

        return source(self.spec, self.graphs, fuse(self.graphs)).text

    def onnx(
        self, folder: str | Path, weights: str = "init", target: Target = PORTABLE
    ) -> "Emitted":
        """Write the ONNX model and its data into `folder`, which is made where it is missing.

        `weights` is `none`, `init` or a checkpoint. A decoder with a cache takes it and gives it
        back, with the logits that `target` asks for; one that reads a source has an encoder beside
        it, in a file of its own. Raises SpecError where a checkpoint does not fit and OSError where
        the folder cannot be written.
        """
        expect(target, Target, "`target` must be a Target")
        expect(weights, str, "`weights` must be `none`, `init` or a path as text")
        from compiler.backends.onnx.emit import emit
        from compiler.importers.fusion import fuse as joined
        from compiler.pipeline.places import spec_name
        from compiler.pipeline.weights import weights_for

        fused = fuse(self.graphs)
        found = weights_for(self.spec, self.graphs, fused, weights)
        Path(folder).mkdir(parents=True, exist_ok=True)
        sources = None if found.sources is None else joined(found.sources, found.fusions)
        shown = replace(fused, path=spec_name(self.spec.path) if self.spec.path else "")
        return emit(served(shown, target.logits), sources, Path(folder), target=target)

    def cost(self, **at: int) -> CostReport:
        """Parameters, FLOPs and bytes at lengths such as `B=1, T=8192`.

        Raises SpecError, and TypeError for a length that is no whole number.
        """
        from compiler.pipeline.costs import report_of

        return report_of(self.spec, self.graphs, _whole(at))

    def diff(self, other: "Program", **at: int) -> "Difference":
        """What another program has otherwise, in structure and costs.

        Raises SpecError, and TypeError for what is no program or a length that is no whole number.
        """
        from compiler.pipeline.compare import compare

        expect(other, Program, "`other` must be a Program")
        return compare((self.spec, self.graphs), (other.spec, other.graphs), _whole(at))

    def verify(self) -> "Verdict":
        """Hold PyTorch and ONNX Runtime against each other, and the counts against both."""
        from compiler.verify import verify

        return verify(self.spec, set=self.spec.settings)


def _whole(at: Mapping[str, int]) -> dict[str, int]:
    from compiler.ir.size import whole

    return {name: whole(name, size) for name, size in at.items()}


def compile(spec: Spec) -> Program:
    """Compile a resolved spec. Raises SpecError where its shapes do not fit together, and TypeError
    for what is no spec."""
    expect(spec, Spec, "`spec` must be a Spec, as `archspec.load` gives it")
    program = Program(spec)
    _ = program.graphs
    return program
