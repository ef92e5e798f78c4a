"""The public front of both packages: exactly these names, exactly these questions."""

import inspect
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import archspec
import compiler
from compiler.backends.onnx import Emitted
from compiler.ir.target import Target
from compiler.pipeline import Program
from compiler.report.costs import CostReport
from compiler.runtime.opening import open_session
from compiler.verify import Verdict
from tests.lower.specs import decoder, over


def test_the_names_that_are_promised() -> None:
    assert sorted(compiler.__all__) == ["__version__", "compile"]
    assert sorted(archspec.__all__) == [
        "Diagnostic",
        "Label",
        "Node",
        "Span",
        "Spec",
        "SpecError",
        "load",
        "read",
    ]
    for package in (archspec, compiler):
        assert all(hasattr(package, name) for name in package.__all__)


def test_the_questions_that_a_program_answers() -> None:
    public = {name for name in vars(Program) if not name.startswith("_")}
    assert {"torch", "onnx", "cost", "verify"} <= public
    assert public <= {"torch", "onnx", "cost", "diff", "verify", "graphs", "spec"}


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (archspec.load, ["source", "set"]),
        (archspec.read, ["source", "set"]),
        (compiler.compile, ["spec"]),
        (Program.torch, ["self"]),
        (Program.cost, ["self", "at"]),
        (Program.diff, ["self", "other", "at"]),
        (Program.verify, ["self"]),
    ],
)
def test_what_they_take(function: object, parameters: list[str]) -> None:
    assert callable(function)
    assert list(inspect.signature(function).parameters) == parameters


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda program: program.cost().on(None), "`device` must be a name or a Device, not None"),
        (lambda program: program.cost().on("h200", {}), "`assume` must be a text"),
        (lambda program: program.cost(at={"B": 1}), "`at` must be a whole number"),
        (lambda program: program.cost().explain(3), "`number` must be the name of a number"),
        (lambda program: program.diff(program.spec), "`other` must be a Program, not Spec"),
        (
            lambda program: program.onnx("unused", target="cpu"),
            "`target` must be a Target, not str",
        ),
        (lambda program: compiler.compile({}), "`spec` must be a Spec, as .*, not dict"),  # type: ignore[arg-type]
        (lambda program: archspec.load(None), "`source` must be a path, a mapping or a Text"),  # type: ignore[arg-type]
        (lambda program: archspec.load({}, set=3), "`set` must be a mapping or a list of texts"),  # type: ignore[arg-type]
    ],
)
def test_what_is_of_no_use_is_said(ask: Callable[[Program], object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        ask(compiler.compile(archspec.load(decoder())))


def test_source_is_a_module() -> None:
    program = compiler.compile(archspec.load(decoder()))
    module: dict[str, object] = {}
    exec(program.torch(), module)
    kind = module["MModel"]
    assert isinstance(kind, type)
    logits = kind()(torch.zeros(2, 3, dtype=torch.long))
    assert logits.shape == (2, 3, 50)


def test_a_model_is_written_and_runs(tmp_path: Path) -> None:
    program = compiler.compile(archspec.load(decoder()))
    emitted = program.onnx(tmp_path / "out")
    assert isinstance(emitted, Emitted)
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(emitted.files)
    program.onnx(tmp_path / "all", target=Target(logits="all"))
    for name, positions in (("out", 1), ("all", 3)):
        session = open_session(tmp_path / name, device="cpu")
        logits = session.run({"ids": np.zeros((2, 3), dtype=np.int64)})["logits"]
        assert logits.shape == (2, positions, 50)


def test_costs_are_asked_for_at_lengths() -> None:
    program = compiler.compile(archspec.load(decoder()))
    short, long = program.cost(B=1, T=8), program.cost(B=2, T=8)
    assert isinstance(short, CostReport)
    assert 2 * short.totals["matmul_flops"] == long.totals["matmul_flops"]
    with pytest.raises(archspec.SpecError, match="AR0910"):
        program.cost(Q=3)


def test_a_program_proves_itself() -> None:
    verdict = compiler.compile(archspec.load(decoder())).verify()
    assert isinstance(verdict, Verdict)
    assert verdict.ok
    assert all(check.name for check in verdict.checks)


def test_a_spec_is_loaded_with_patches_or_refused_with_findings() -> None:
    spec = archspec.load(decoder(), set={"h.stack.repeat": 2})
    assert (
        compiler.compile(spec).cost().totals["parameters"]
        < (compiler.compile(archspec.load(decoder())).cost().totals["parameters"])
    )
    found = archspec.read({"name": "x"})
    assert isinstance(found, tuple)
    assert all(isinstance(each, archspec.Diagnostic) for each in found)
    with pytest.raises(archspec.SpecError, match="AR0303"):
        compiler.compile(archspec.load(over(16, {"y": {"attention": {"heads": 5}}})))
