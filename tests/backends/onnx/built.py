"""Programs with numbers: built into a folder and run by ONNX Runtime."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime

import archspec
from compiler.backends.onnx import MODEL, Emitted, emit
from compiler.importers.checkpoint import Checkpoint, open_checkpoint
from compiler.importers.fill import Filled, fill
from compiler.importers.fusion import Fusion
from compiler.importers.fusion import fuse as join_parts
from compiler.importers.lazy import Lazy
from compiler.importers.names import Names, names_of
from compiler.importers.rules import Rules, parse_rules
from compiler.ir.graph import NOWHERE, Graph, Node
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ir.types import TensorType
from compiler.lower import lower
from compiler.passes.fold import fold
from compiler.passes.fuse import fuse, fusions
from compiler.passes.stateless import stateless
from compiler.runtime.opening import open_session

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Built:
    """A program in the full-sequence form with its weights in a folder."""

    program: Program
    weights: Mapping[str, Array]
    folder: Path
    emitted: Emitted

    def run(self, **inputs: Array) -> dict[str, Array]:
        """Every output by its name, by one thread on the CPU."""
        return open_session(self.folder, threads=1, device="cpu").run(inputs)


def lazy(array: Array) -> Lazy:
    """`array` behind a promise."""
    return Lazy(array.shape, "F32", lambda: array)


def build(program: Program, weights: Mapping[str, Array], folder: Path) -> Built:
    """Write a program and its weights into `folder`."""
    sources = {name: lazy(array) for name, array in weights.items()}
    return Built(program, weights, folder, emit({"model": program}, sources, folder))


def as_loaded(folder: Path) -> onnx.GraphProto:
    """The graph that the runtime makes of a built file, as it loads it for the CPU."""
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(folder / "loaded.onnx")
    options.log_severity_level = 3
    onnxruntime.InferenceSession(folder / MODEL, options, ["CPUExecutionProvider"])
    return onnx.load(folder / "loaded.onnx", load_external_data=False).graph


def random_weights(program: Program, seed: int = 0) -> dict[str, Array]:
    """A small random number for every weight, so that no gain is 1 and no bias 0."""
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(0.1, 0.3, [value(n, program.key.sizes) for n in found.shape]).astype("f4")
        for name, found in program.parameters().items()
    }


def compiled(spec: Mapping[str, Any]) -> Program:
    """A spec as the back end gets it: lowered, fused, folded, in the full-sequence form."""
    program = lower(archspec.load(spec))
    assert isinstance(program, Program), program
    return stateless(fuse(fold(program)))


def published(
    spec: Mapping[str, Any], family: Callable[[Names], dict[str, Any]], checkpoint: Path
) -> tuple[Program, dict[str, Array]]:
    """A spec's program and its weights, read by a family's rules from a folder of weights."""
    loaded = archspec.load(spec)
    program = lower(loaded)
    assert isinstance(program, Program), program
    rules = parse_rules(family(names_of(loaded)), lambda _: NOWHERE)
    assert isinstance(rules, Rules), rules
    opened = open_checkpoint(checkpoint)
    assert isinstance(opened, Checkpoint), opened
    shapes = {
        name: tuple(value(size, program.key.sizes) for size in found.shape)
        for name, found in program.parameters().items()
    }
    filled = fill(shapes, opened, rules=rules)
    assert isinstance(filled, Filled), filled
    joined = fuse(fold(program))
    pairs = [Fusion(whole, parts) for whole, parts in fusions(joined).items()]
    found = join_parts(filled.sources, pairs)
    return stateless(joined), {name: source.read() for name, source in found.items()}


def single(
    operator: Operator, inputs: Sequence[TensorType | None], key: Letters, names: Sequence[str]
) -> Program:
    """A program of one operator called `op`; its results are outputs `names`."""
    main = Graph("main", "single")
    ports = zip(operator.signature.inputs, inputs, strict=True)
    given = tuple(None if found is None else main.enter(p.name, found) for p, found in ports)
    made = main.add(Node("op", operator, given, operator.infer(inputs, key)))
    main.outputs = dict(zip(names, made, strict=True))
    return Program("single", {"main": main}, "main", key)
