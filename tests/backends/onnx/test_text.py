"""The text of an ONNX graph: what it says, and that it says what the file holds."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx
import pytest

from compiler.backends.onnx import emit, onnx_text
from compiler.ir.program import Program
from tests.backends.onnx.built import compiled
from tests.backends.onnx.test_published import BERT, GPT2, LLAMA, VIT
from tests.backends.onnx.test_transformer import SPEC
from tests.conftest import Golden

REPEAT = re.compile(r" = repeat (\d+) x, from ")
NODE = re.compile(r" = (\w+)\(.*\)")

DECODER: Mapping[str, Any] = {
    "name": "decoder",
    "inputs": {"ids": "tokens"},
    "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
    "graph": {
        "tok": {"embed": {"vocab": 11, "dim": 8}, "in": "ids"},
        "h": {
            "stack": {
                "repeat": 4,
                "layer": {
                    "attn": {"attention": {"heads": 2, "mask": "causal", "rope": {"theta": 100}}}
                },
                "cycle": [{}, {"attn.rope": "none"}],
            }
        },
        "logits": {"unembed": {"tie": "tok"}},
    },
    "outputs": ["tok", "h", "logits"],
}


def test_a_decoder_as_text(golden: Golden) -> None:
    golden("onnx/decoder.txt", onnx_text(compiled(DECODER)))


@pytest.mark.parametrize("spec", [BERT, GPT2, LLAMA, VIT, SPEC, DECODER], ids=lambda s: s["name"])
def test_the_text_has_a_line_for_every_node_of_a_layer(
    spec: Mapping[str, Any], tmp_path: Path
) -> None:
    program = compiled(spec)
    lines = onnx_text(program).splitlines()
    emit({"model": program}, None, tmp_path)
    model = onnx.load(str(tmp_path / "model.onnx"), load_external_data=False)
    held = Counter(node.op_type for node in model.graph.node)
    said: Counter[str] = Counter()
    for kind, times in _node_lines(lines):
        said[kind] += times
    assert said == held


def test_the_text_is_as_short_for_many_layers_as_for_few() -> None:
    few, many = (_deep(repeat) for repeat in (3, 96))
    assert len(onnx_text(few).splitlines()) == len(onnx_text(many).splitlines())


def _deep(repeat: int) -> Program:
    stack = {**GPT2["graph"]["h"]["stack"], "repeat": repeat}
    return compiled({**GPT2, "graph": {**GPT2["graph"], "h": {"stack": stack}}})


def _node_lines(lines: list[str]) -> Iterator[tuple[str, int]]:
    """The kind of every node with a line, and how many layers the line stands for."""
    times = 1
    for line in lines:
        repeat = REPEAT.search(line)
        if repeat:
            times = int(repeat[1])
        elif not line.startswith(" "):
            times = 1
        if node := NODE.search(line):
            yield node[1], times
