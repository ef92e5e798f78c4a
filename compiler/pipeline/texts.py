"""The text that a spec compiles to: what is checked in under generated/."""

from collections.abc import Iterable, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Final

from archspec.model.catalog import extensions
from archspec.model.spec import Spec
from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler import __version__
from compiler.backends.onnx.text import onnx_texts
from compiler.ir.program import Program
from compiler.ir.text import program_text
from compiler.passes.fuse import fuse
from compiler.passes.keep_weights import attends, keep_weights
from compiler.passes.served import served
from compiler.pipeline.costs import report_of
from compiler.pipeline.manifest import Mark, Origin
from compiler.pipeline.places import spec_name
from compiler.report.numbers import THIN, count, flops, memory

if TYPE_CHECKING:
    from compiler.backends.torch import Generated

KINDS: Final = ("torch", "onnx", "report")
NAMES: Final = ("model.py", "graph.txt", "onnx.txt", "cost.md")


class Text(Frozen):
    """One text file and the spec lines that its lines come from."""

    content: str
    marks: tuple[Mark, ...] = ()


def origin(spec: Spec) -> Origin:
    """Where the files of a spec come from, for their manifest."""
    added = dict(extensions().packages[word] for word in spec.added)
    return Origin(spec_name(spec.path), spec.digest, {"archc": __version__, **added})


def texts(spec: Spec, plain: Program, kinds: Iterable[str] = KINDS) -> dict[str, Text]:
    """Text files by name: `torch` gives source and graph, `report` costs, `onnx` its nodes."""
    wanted = set(kinds)
    fused = fuse(plain)
    found: dict[str, Text] = {}
    if "torch" in wanted:
        made = source(spec, plain, fused)
        found["model.py"] = Text(made.text, _marks(spec, made.places))
        found["graph.txt"] = Text(program_text(fused))
    if "onnx" in wanted:
        found["onnx.txt"] = Text(onnx_texts(served(fused)))
    if "report" in wanted:
        found["cost.md"] = Text(report_of(spec, plain).markdown())
    return found


def source(spec: Spec, plain: Program, fused: Program) -> "Generated":
    """The generated module."""
    from compiler.backends.torch import Facts, torch_source

    name = spec_name(spec.path) if spec.path else ""
    facts = Facts(
        __version__,
        name or "(a mapping)",
        spec.digest,
        _rebuild(spec, name) if name else "",
        _cost_line(spec, plain),
    )
    return torch_source(fused, facts)


def attend_source(spec: Spec, plain: Program) -> str:
    """`attend.py`: the module that keeps its attention weights; empty for a model without any."""
    return source(spec, plain, keep_weights(fuse(plain))).text if attends(plain) else ""


def _rebuild(spec: Spec, name: str) -> str:
    """The command line that writes the same text again."""
    patches = (f"--set {quote(setting)}" for setting in spec.settings)
    return " ".join(("archc build", quote(name), *patches))


def _cost_line(spec: Spec, plain: Program) -> str:
    report = report_of(spec, plain)
    step = (
        {report.costs.batch: 1, report.costs.target: 1, report.costs.seen: 1} if plain.grown else {}
    )
    asked = {name: size for name, size in step.items() if name}
    totals = (report_of(spec, plain, asked) if asked else report).totals
    pieces = [f"{count(totals['parameters'])} params"]
    if plain.grown:
        pieces.append(f"{flops(totals['matmul_flops'])} per token at {report.costs.seen} = 1")
        pieces.append(f"{memory(totals['kv_bytes_per_token'])} of KV per token in bfloat16")
    else:
        at = ", ".join(f"{name} = {size}" for name, size in report.at.items())
        pieces.append(f"{flops(totals['matmul_flops'])} at {at}")
    return ", ".join(pieces).replace(THIN, " ")


def _marks(spec: Spec, places: Mapping[int, Span]) -> tuple[Mark, ...]:
    """A mark wherever the place in the spec changes."""
    marks: list[Mark] = []
    for line, span in sorted(places.items()):
        file = spec_name(span.file)
        if not marks or (marks[-1].spec, marks[-1].spec_line) != (file, span.line):
            marks.append(Mark(line, file, span.line))
    return tuple(marks)
