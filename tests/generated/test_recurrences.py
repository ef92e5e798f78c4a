"""Recurrent models in torch: what the docstring shows, and how far compilation and export go."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.export import export

import archspec
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import arguments, build, call
from tests.generated.samples import RECURRENT, small
from tests.generated.test_docstring import blocks, inputs, surroundings
from tests.shipped import ROOT

SEVERAL = [path for path in RECURRENT if small(path).program.stepped]
SIZES = {"src_vocab": 31, "tgt_vocab": 37, "d_emb": 10, "d_h": 12}
PLAIN = {
    "01-seq2seq": {**SIZES, "n_layers": 2},
    "02-bahdanau-projected": {**SIZES, "d_att": 9},
    "03-luong-dot": {**SIZES, "n_layers": 2},
}


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def unpadded(name: str) -> Compiled:
    """A small model whose sources are all of one length."""
    sizes: dict[str, Any] = {**PLAIN[name], "inputs.src_ids": {"tokens": {"max": 20}}}
    made = compiled(archspec.load(ROOT / f"specs/history/{name}.yaml", set=sizes))
    assert isinstance(made, Compiled), made
    return made


@pytest.mark.parametrize("path", SEVERAL)
def test_a_greedy_loop(path: str) -> None:
    """The loop that hands states on writes what the model says of all positions at once."""
    made = small(path)
    (code,) = [block for block in blocks(made) if "argmax" in block]
    names = surroundings(made)
    torch.manual_seed(0)
    names["model"] = names[made.generated.name]().eval()
    head = made.program.stepped
    start = names[head]
    given = {name: names[name] for name in inputs(made) if name != head}
    with torch.no_grad():
        exec(code.replace(", 64)", ", 24)"), names)
        written = names[head]
        assert written.shape == (2, 24)
        (logits,) = call(names["model"], {**given, head: written})
    said = logits[:, start.shape[1] - 1 : -1].argmax(dim=-1)
    assert torch.equal(written[:, start.shape[1] :], said)


@pytest.mark.parametrize("path", RECURRENT)
def test_compiled_with_breaks(path: str) -> None:
    made = small(path)
    model, fast = build(made.generated), build(made.generated)
    fast.compile(backend="eager")
    given = example(made.spec, made.program, 2, 5)
    with torch.no_grad():
        assert apart(call(fast, given.values), call(model, given.values)) <= 1e-6


@pytest.mark.parametrize("name", PLAIN)
def test_compiled_whole_where_nothing_is_packed(name: str) -> None:
    made = unpadded(name)
    model, fast = build(made.generated), build(made.generated)
    given = example(made.spec, made.program, 2, 5)
    with torch.no_grad(), torch._dynamo.config.patch(allow_rnn=True):
        fast.compile(fullgraph=True, backend="eager")
        assert apart(call(fast, given.values), call(model, given.values)) <= 1e-6


@pytest.mark.parametrize("name", PLAIN)
def test_exported_at_its_lengths(name: str) -> None:
    made = unpadded(name)
    model = build(made.generated)
    takes = arguments(model.forward)
    values = {takes[n]: v for n, v in example(made.spec, made.program, 2, 5).values.items()}
    with torch.no_grad():
        found = export(model, (), values).module()(**values)
        assert apart([found], [model(**values)]) <= 1e-6


def test_the_docstring_says_so() -> None:
    assert "torch.export cannot take them" in small("specs/history/01-seq2seq.yaml").generated.text
    assert "torch.export fixes the lengths" in unpadded("01-seq2seq").generated.text
