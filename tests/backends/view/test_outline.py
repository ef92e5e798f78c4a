"""The outline of a program: components, what goes round them, and nothing that costs nothing."""

from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

from compiler.backends.view.outline import Load, outline
from compiler.backends.view.picture import Box, Frame
from compiler.backends.view.svg import svg
from compiler.passes.cost import Costs, cost
from compiler.passes.fold import fold
from compiler.passes.shapes import shapes
from tests.passes.samples import lowered, named


def counted(costs: Costs, path: str, without: Sequence[str]) -> Load | None:
    """The rows below a path, one a word; None where none has weights or products."""
    rows = [
        row.path
        for row in costs.rows
        if f"{row.path}.".startswith(f"{path}.")
        and not any(f"{row.path}.".startswith(f"{each}.") for each in without)
        and (row.parameters.terms or row.cost.total("matmul").terms)
    ]
    return Load(" ".join(rows), 10 * len(rows), path) if rows else None


def drawn(name: str) -> tuple[Frame, Costs]:
    program = fold(shapes(lowered(named(name))))
    costs = cost(program)
    return outline(program, lambda path, without: counted(costs, path, without)), costs


def test_a_decoder_has_norms_components_and_additions() -> None:
    frame, _ = drawn("decoder/llama3-8b")
    block = frame.part("h")
    assert isinstance(block, Frame)
    assert (block.heading, [part.title for part in block.parts if isinstance(part, Box)]) == (
        "h: block \u00d7 32",
        ["x", "norm", "attn: attention", "+", "norm", "mlp", "+"],
    )
    assert [part.id for part in frame.parts] == [
        "ids",
        "tok",
        "h",
        "final",
        "logits",
        "output logits",
    ]
    edges = [(wire.source.part, wire.target, wire.label) for wire in block.wires]
    assert edges[:4] == [
        ("h.x", "h.attn.norm", "B T D"),
        ("h.attn.norm", "h.attn", "B T D"),
        ("h.x", "h.attn.add", "B T D"),
        ("h.attn", "h.attn.add", "B T D"),
    ]


def test_a_norm_behind_the_addition_stands_behind_it() -> None:
    frame, _ = drawn("encoder/bert-base")
    block = frame.part("h")
    assert isinstance(block, Frame)
    titles = [part.title for part in block.parts]
    assert titles == ["x", "attn: attention", "+", "post_norm", "mlp", "+", "post_norm"]


@pytest.mark.parametrize(
    "name",
    [
        "decoder/llama3-8b",
        "decoder/deepseek-v3",
        "decoder/gemma2-2b",
        "decoder/gpt-j-6b",
        "encoder/bert-base",
        "encoder-decoder/t5-small",
        "encoder-decoder/whisper-tiny",
        "history/01-seq2seq",
        "multimodal/clip-b32",
        "vision/vit-b16-cls",
    ],
)
def test_everything_that_costs_is_in_one_box(name: str) -> None:
    frame, costs = drawn(name)
    inside = [path for box in frame.boxes() if box.key for path in box.note.split()]
    wanted = [r.path for r in costs.rows if r.parameters.terms or r.cost.total("matmul").terms]
    assert sorted(inside) == sorted(wanted)
    boxes = {box.id for box in frame.boxes()}
    for source, target, _ in frame.through():
        assert {source, target} <= boxes
    root = ElementTree.fromstring(svg(frame, styled=False))
    loads = [float(e.attrib["width"]) for e in root.iter() if e.attrib.get("class") == "load"]
    assert len(loads) == sum(bool(box.key) for box in frame.boxes())
    assert all(width > 0 for width in loads)
