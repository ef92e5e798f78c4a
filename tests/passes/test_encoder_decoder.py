"""An encoder and a decoder apart: each computes its own, and neither what the other has."""

from typing import Any

import pytest

from compiler.ir.graph import Call, Repeat
from compiler.ir.program import Program
from compiler.ir.text import program_text
from compiler.ops import HandOver
from compiler.passes.encoder_decoder import encoder_decoder
from tests.lower.specs import decoder, model
from tests.lower.specs import encoder_decoder as translator
from tests.passes.test_stages import SPECS
from tests.verify.models import made

OWN = {"attention": {"heads": 2, "mask": "causal"}}
CROSS = {"attention": {"heads": 2, "source": "memory"}}


def apart(spec: dict[str, Any]) -> tuple[Program, Program, Program]:
    """The whole program, its encoder and its decoder."""
    fused = made(spec).fused
    found = encoder_decoder(fused)
    assert found is not None
    return fused, *found


def over(layer: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A decoder of such layers over one encoded source."""
    return translator(dec={"stack": {"repeat": 2, "layer": layer} | more})


NORMED = {"attention": {**CROSS["attention"], "kv_heads": 1, "qk_norm": {"rms": 1e-5}}}
CASES = {
    **SPECS,
    "both padded": {
        **translator(),
        "inputs": {name: {"tokens": {"padded": True}} for name in ("src", "tgt")},
    },
    "no source in every other layer": over(
        {"own": OWN, "cross": CROSS}, repeat=5, cycle=[{}, {"cross": "none"}]
    ),
    "the source first": over({"cross": CROSS, "own": OWN}),
    "twice": over({"one": CROSS, "own": OWN, "two": CROSS}),
    "shared layers": over({"own": OWN, "cross": CROSS}, share=True),
    "groups of normed keys": over({"own": OWN, "cross": NORMED}),
    "wider values, nothing hidden": {
        **over({"own": OWN, "cross": {"attention": {**CROSS["attention"], "value_dim": 9}}}),
        "inputs": {"src": "tokens", "tgt": "tokens"},
    },
}


@pytest.mark.parametrize("name", CASES)
def test_every_parameter_is_somewhere_and_only_tables_are_in_both(name: str) -> None:
    fused, encoder, decoder = apart(CASES[name])
    ours, theirs = encoder.parameters(), decoder.parameters()
    assert ours | theirs == fused.parameters()
    assert not ours.keys() & theirs.keys()


@pytest.mark.parametrize("name", CASES)
def test_a_step_computes_nothing_of_the_source(name: str) -> None:
    """No map of the decoder has the positions of a source."""
    _, encoder, decoder = apart(CASES[name])
    outputs = [encoder.main.type(value).shape for value in encoder.main.outputs.values()]
    lengths = {shape[1] for shape in outputs if len(shape) == 3}
    for place in decoder.places():
        if place.node.what.signature.parameters:  # type: ignore[union-attr]  # places are operators
            assert not lengths & {size for found in place.node.types for size in found.shape}
    assert not any(isinstance(place.node.what, HandOver) for place in decoder.places())


@pytest.mark.parametrize("name", CASES)
def test_what_one_hands_over_the_other_takes(name: str) -> None:
    fused, encoder, decoder = apart(CASES[name])
    assert encoder.crossing == decoder.crossing
    for program in (encoder, decoder):
        assert set(dict(program.crossing)) <= set(program.main.inputs)
    handed = [place.node.what for place in encoder.places()]
    kinds = [each.kind for each in handed if isinstance(each, HandOver)]
    assert kinds.count("key") == kinds.count("value") > 0
    taken = set(decoder.main.inputs) - set(dict(decoder.crossing)) - set(encoder.main.outputs)
    assert taken <= set(fused.main.inputs)


@pytest.mark.parametrize("name", CASES)
def test_graphs_are_those_that_are_used_callees_first(name: str) -> None:
    for program in apart(CASES[name])[1:]:
        known: set[str] = set()
        for graph_name, graph in program.graphs.items():
            for node in graph:
                match node.what:
                    case Call(graph=used):
                        assert used in known
                    case Repeat(bodies=bodies):
                        assert set(bodies) <= known
            known.add(graph_name)
        assert program_text(program)


def test_a_decoder_alone_is_not_taken_apart() -> None:
    assert encoder_decoder(made(decoder()).fused) is None
    graph = {"a": {"embed": {"vocab": 9, "dim": 8}, "in": "ids"}, "p": {"pool": "mean"}}
    assert encoder_decoder(made(model(graph)).fused) is None
