"""Marks say whose an expression is, and change nothing in the code."""

import ast
from pathlib import Path

import pytest

from archspec import load
from compiler.backends.torch import Marks, torch_code
from compiler.backends.torch.marks import bare
from compiler.passes.fuse import fuse
from compiler.pipeline.passes import lowered
from tests.shipped import EVERY, SPECS

WHOLE = EVERY[::7]


@pytest.mark.parametrize("name", WHOLE)
def test_marked_code_is_the_same_code(name: str) -> None:
    program = fuse(lowered(load(SPECS / f"{name}.yaml")))
    marks = Marks(program.root)
    plain, marked = torch_code(program), torch_code(program, marks.around)
    lines = [line.text for part in marked.parts for line in part]
    assert [bare(line) for line in lines] == [line.text for part in plain.parts for line in part]
    assert ast.parse(marked.text)
    assert marks.nodes


def test_a_mark_names_the_node_and_its_operator() -> None:
    program = fuse(lowered(load(Path(SPECS, "decoder/gpt2.yaml"))))
    marks = Marks(program.root)
    text = torch_code(program, marks.around).text
    assert ("h.layer.attn.qkv", "Linear") in marks.nodes
    place = marks.nodes.index(("h.layer.attn.qkv", "Linear"))
    assert f"(_enter({place}), (self.qkv(" in text
