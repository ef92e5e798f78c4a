"""Generated modules compile whole: no graph break, and the same numbers."""

import shutil

import pytest
import torch

from compiler.verify.decoding import states
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.generated.samples import DECODERS, PATHS, small


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def compared(path: str, backend: str, bar: float) -> None:
    made = small(path)
    model, fast = build(made.generated), build(made.generated)
    fast.compile(fullgraph=True, backend=backend)
    for seed, (batch, length) in enumerate([(2, 9), (3, 12)]):
        given = example(made.spec, made.program, batch, length, seed=seed)
        with torch.no_grad():
            assert apart(call(fast, given.values), call(model, given.values)) <= bar


@pytest.mark.parametrize("path", PATHS)
def test_whole_graph(path: str) -> None:
    compared(path, "eager", 0.0)


@pytest.mark.parametrize("path", DECODERS)
def test_whole_graph_with_a_cache(path: str) -> None:
    made = small(path)
    model, fast = build(made.generated), build(made.generated)
    fast.compile(fullgraph=True, backend="eager")
    given = example(made.spec, made.program, 2, 9)
    kept, other = (states(made, given, spare=4) for _ in range(2))
    token = {**given.values, made.program.grown: given.values[made.program.grown][:, :1]}
    with torch.no_grad():
        for values, pos in ((given.values, 0), (token, 9), (token, 10), (token, 11)):
            slow = call(model, {**values, **kept, "pos": pos})
            assert apart(call(fast, {**values, **other, "pos": pos}), slow) == 0.0
    assert all(torch.equal(kept[name], other[name]) for name in kept)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["specs/decoder/llama3-8b.yaml", "specs/encoder/minilm-l6.yaml"])
def test_inductor(path: str) -> None:
    if shutil.which("g++") is None and shutil.which("clang++") is None:
        pytest.skip("inductor needs a C++ compiler, and there is none")
    compared(path, "inductor", 1e-5)
