"""What a generated file's docstring shows is extracted and run: a training step, a greedy loop."""

import ast
import textwrap
from typing import Any

import pytest
import torch
from torch import Tensor

from compiler.verify.compiled import Compiled
from compiler.verify.examples import example
from compiler.verify.module import call, load_module
from tests.generated.samples import DECODERS, small
from tests.shipped import DISTINCT

STEP = "optimizer.step()"


def blocks(made: Compiled) -> list[str]:
    """The indented code of the docstring, part by part; the facts at its top are not code."""
    text = ast.get_docstring(ast.parse(made.generated.text)) or ""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("    "):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    code = [textwrap.dedent("\n".join(lines)) for lines in found if lines]
    return [block for block in code if "=" in block and "sha256" not in block]


def surroundings(made: Compiled) -> dict[str, Any]:
    """The names that the code takes as given: the module's own, the inputs, a target."""
    module = load_module(made.generated.text, made.generated.name)
    values = example(made.spec, made.program, 2, 9).values
    return {**vars(module), "torch": torch, "F": torch.nn.functional, **values}


def target(made: Compiled, names: dict[str, Any], code: str) -> Tensor:
    """Class indices or values, whichever the loss of the docstring wants."""
    given = {name: names[name] for name in inputs(made)}
    first = call(names[made.generated.name](), given)[0]
    classes = "cross_entropy" in code
    return torch.randint(first.shape[1], (2,)) if classes else torch.zeros_like(first)


def inputs(made: Compiled) -> list[str]:
    return [name for name in made.program.main.inputs if name not in ("kv", "pos")]


@pytest.mark.parametrize("path", DISTINCT)
def test_a_training_step(path: str) -> None:
    made = small(path)
    code = next((block for block in blocks(made) if STEP in block), "")
    if not made.parameters:
        exec(next(block for block in blocks(made) if "model(" in block), surroundings(made))
        assert code == ""
        return
    assert 0 < len(code.splitlines()) <= 9
    names = surroundings(made)
    torch.manual_seed(0)
    if "target" in code:
        names["target"] = target(made, names, code)
    before, _, step = code.partition(STEP)
    exec(before, names)
    old = {name: p.detach().clone() for name, p in names["model"].named_parameters()}
    exec(f"{STEP}{step}", names)
    assert names["loss"].isfinite()
    moved = {n: not torch.equal(p, old[n]) for n, p in names["model"].named_parameters()}
    learns = {n: p.grad is not None for n, p in names["model"].named_parameters()}
    assert moved == learns
    assert any(learns.values())
    assert all(learns.values()) or len(made.spec.outputs) > 1  # the loss is of the first output


def test_padding_and_other_documents_are_not_learnt() -> None:
    """The loss is the mean over next tokens that are real and of the same document, one by one."""
    made = small("specs/decoder/opt-125m.yaml")
    names = surroundings(made)
    names["ids_mask"] = torch.ones_like(names["ids"], dtype=torch.bool)
    names["ids_mask"][0, 5:] = False
    ids, learnt = names["ids"], names["ids_mask"][:, 1:]
    assert torch.isclose(loss(made, names), surprise(names["logits"], ids, learnt))
    made = small("specs/history/08-masks-segments.yaml")
    names = surroundings(made)
    ids, segments = names["ids"], torch.ones_like(names["ids"])
    segments[1, 4:] = 2
    names["ids_segments"] = segments
    learnt = torch.ones_like(ids[:, 1:], dtype=torch.bool)
    learnt[1, 3] = False
    assert torch.isclose(loss(made, names), surprise(names["logits"], ids, learnt))


def loss(made: Compiled, names: dict[str, Any]) -> Tensor:
    """What the docstring's step minimises; leaves the logits among the names."""
    code = next(block for block in blocks(made) if STEP in block)
    exec(code.partition("optimizer.zero_grad")[0], names)
    found: Tensor = names["loss"]
    return found


def surprise(logits: Tensor, ids: Tensor, learnt: Tensor) -> Tensor:
    """The mean of -log p over the next tokens to be learnt."""
    rows, columns = learnt.nonzero(as_tuple=True)
    each = [
        -logits[row, column].log_softmax(-1)[ids[row, column + 1]]
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    return torch.stack(each).mean()


@pytest.mark.parametrize("path", DECODERS)
def test_a_greedy_loop(path: str) -> None:
    """The loop with its cache writes what the model says without one, all positions at once."""
    made = small(path)
    (code,) = [block for block in blocks(made) if "argmax" in block]
    names = surroundings(made)
    torch.manual_seed(0)
    names["model"] = names[made.generated.name]().eval()
    grown = made.program.grown
    start = names[grown]
    with torch.no_grad():
        exec(code.replace(", 64\n", ", 24\n"), names)
        written = names[grown]
        given = {name: names[name] for name in inputs(made)}
        assert written.shape == (2, 24)
        assert torch.equal(written[:, : start.shape[1]], start)
        (logits,) = call(names["model"], given)
    said = logits[:, start.shape[1] - 1 : -1].argmax(dim=-1)
    assert torch.equal(written[:, start.shape[1] :], said)
