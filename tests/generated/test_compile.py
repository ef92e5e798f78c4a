"""Generated modules compile whole: no graph break, and the same numbers."""

import shutil
from collections.abc import Iterator

import pytest
import torch

from compiler.verify.decoding import piece, states
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.generated.samples import DECODERS, RECURRENT, small
from tests.shipped import TRACED


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing compiled before; torch's own recurrent layers are traced too."""
    torch._dynamo.reset()
    with torch._dynamo.config.patch(allow_rnn=True):
        yield


def rounding(path: str) -> float:
    """Not a bit of difference, but for experts: compiled, each of them takes all rows."""
    return 1e-5 if "GroupedLinear" in small(path).generated.text else 0.0


def compared(path: str, backend: str, bar: float) -> None:
    made = small(path)
    model, fast = build(made.generated), build(made.generated)
    fast.compile(fullgraph=True, backend=backend)
    for seed, (batch, length) in enumerate([(2, 9), (3, 12)]):
        given = example(made.spec, made.program, batch, length, seed=seed)
        with torch.no_grad():
            assert apart(call(fast, given.values), call(model, given.values)) <= bar


@pytest.mark.parametrize("path", [path for path in TRACED if path not in RECURRENT])
def test_whole_graph(path: str) -> None:
    compared(path, "eager", rounding(path))


@pytest.mark.parametrize("path", [path for path in TRACED if path in DECODERS])
def test_whole_graph_with_a_cache(path: str) -> None:
    made = small(path)
    model, fast = build(made.generated), build(made.generated)
    fast.compile(fullgraph=True, backend="eager")
    given = example(made.spec, made.program, 2, 12)
    kept, other = (states(made, given, spare=4) for _ in range(2))
    with torch.no_grad():
        for start, end in ((0, 9), (9, 10), (10, 11), (11, 12)):
            values = {**piece(made, given.values, start, end), "pos": start}
            slow = call(model, {**values, **kept})
            assert apart(call(fast, {**values, **other}), slow) <= rounding(path)
    assert apart(list(kept.values()), list(other.values())) <= rounding(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["specs/decoder/llama3-8b.yaml", "specs/encoder/minilm-l6.yaml"])
def test_inductor(path: str) -> None:
    if shutil.which("g++") is None and shutil.which("clang++") is None:
        pytest.skip("inductor needs a C++ compiler, and there is none")
    compared(path, "inductor", 1e-5)
