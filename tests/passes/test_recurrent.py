"""Recurrent decoders in steps: what an encoder gives once, and which models go on at all."""

from typing import Any

import pytest

from compiler.ir.program import Program
from compiler.ops import Recurrence
from compiler.passes.recurrent import recurrent, resumed
from compiler.passes.shapes import shapes
from tests.lower.specs import decoder, encoder_decoder
from tests.passes.test_carrying import CASES, language_model, rnn
from tests.verify.models import Mapping, made

ATTEND = {"source": "memory", "score": "dot", "query": "previous", "feed": "input"}


def translator(
    cell: str, memory: dict[str, Any] | None = None, more: Mapping | None = None, **part: Any
) -> Mapping:
    """A recurrent encoder over padded `src` and a decoder over `tgt`."""
    return {
        "name": "m",
        "inputs": {"src": {"tokens": {"padded": True}}, "tgt": "tokens"},
        "graph": {
            "s": {"embed": {"vocab": 9, "dim": 7}, "in": "src"},
            "memory": {"rnn": {"cell": cell, "dim": 8, **(memory or {})}},
            "t": {"embed": {"vocab": 9, "dim": 7}, "in": "tgt"},
            "dec": {"rnn": {"cell": cell, "dim": 8, **part}},
            **(more or {}),
            "logits": {"unembed": {"vocab": 9}},
        },
    }


FROM = {"init": {"from": "memory.final"}}
PAIRS = {
    "a state": translator("gru", **FROM),
    "a state and a cell": translator("lstm", {"layers": 2}, layers=2, **FROM),
    "the state at every step too": translator("gru", context="memory.final", **FROM),
    "from zeros": translator("rnn", context="memory.final"),
    "looking back": translator("gru", attend=ATTEND, **FROM),
    "two decoders": translator("gru", more={"above": rnn("lstm", 5)}, **FROM),
    "memory too": translator("gru", **FROM) | {"outputs": ["memory", "logits"]},
}


def apart(spec: Mapping) -> tuple[Program, Program, Program]:
    """The whole program, its encoder and its decoder."""
    fused = made(spec).fused
    found = recurrent(fused)
    assert found is not None
    return fused, *found


@pytest.mark.parametrize("name", PAIRS)
def test_every_parameter_is_on_one_side(name: str) -> None:
    fused, encoder, decoding = apart(PAIRS[name])
    ours, theirs = encoder.parameters(), decoding.parameters()
    assert ours | theirs == fused.parameters()
    assert not ours.keys() & theirs.keys()
    assert all(shapes(each) is each for each in (encoder, decoding))


@pytest.mark.parametrize("name", PAIRS)
def test_a_decoder_takes_what_its_encoder_gives_and_its_own_input(name: str) -> None:
    fused, encoder, decoding = apart(PAIRS[name])
    assert encoder.carried == decoding.carried
    slots = set(dict(decoding.carried))
    assert slots <= set(encoder.main.inputs) & set(decoding.main.inputs)
    taken = set(decoding.main.inputs) - slots - set(encoder.main.outputs)
    assert taken <= {"tgt", "src_mask"}
    assert (encoder.grown, decoding.grown) == ("", "tgt")
    assert set(encoder.main.outputs) | set(decoding.main.outputs) >= set(fused.main.outputs)


def test_states_are_called_by_whose_they_are() -> None:
    paths = {name: [path for _, path in apart(spec)[2].carried] for name, spec in PAIRS.items()}
    assert paths["a state and a cell"] == ["dec.h", "dec.c"]
    assert paths["looking back"] == ["dec.h"]
    assert paths["two decoders"] == ["dec.h", "above.h", "above.c"]


def test_a_state_that_is_read_at_every_step_is_handed_over_beside() -> None:
    """What begins a decoder changes from step to step; what it reads besides does not."""
    _, encoder, decoding = apart(PAIRS["the state at every step too"])
    assert list(encoder.main.outputs) == ["memory_final"]
    assert {"memory_final", "dec_h"} <= set(decoding.main.inputs)


@pytest.mark.parametrize("name", CASES)
def test_a_language_model_goes_on(name: str) -> None:
    fused = made(CASES[name]).fused
    found = resumed(fused)
    assert found is not None
    assert (found.grown, fused.grown) == ("ids", "")
    assert found.carried


WHOLE = {
    "both ways": language_model(h=rnn("gru", bidirectional=True)),
    "places": language_model(h=rnn("gru"), p={"positions": {"learned": 40}}),
    "a mean": language_model(h=rnn("gru"), p={"pool": "mean"}),
    "a convolution": language_model(h=rnn("gru"), c={"conv": {"dim": 16, "kernel": 3}}),
    "other words": {**language_model(h=rnn("gru")), "graph": {
        "tok": {"embed": {"vocab": 50, "dim": 16}, "in": "ids"},
        "h": rnn("gru"),
        "tags": {"unembed": {"vocab": 7}},
    }},
    "no words": {**language_model(), "graph": {
        "tok": {"embed": {"vocab": 16, "dim": 16}, "in": "ids"},
        "h": rnn("gru"),
    }},
    "padding": {**language_model(h=rnn("gru")), "inputs": {"ids": {"tokens": {"padded": True}}}},
    "no recurrence": language_model(h={"mlp": {"hidden": 8, "act": "relu"}}),
    "a cache": decoder(),
    "a source": encoder_decoder(),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_what_needs_more_than_a_state_does_not(name: str) -> None:
    fused = made(WHOLE[name]).fused
    assert resumed(fused) is None
    assert recurrent(fused) is None


def test_without_an_encoder_there_is_nothing_to_read_once() -> None:
    fused = made(CASES["layers of one"]).fused
    assert recurrent(fused) is None
    assert any(isinstance(place.node.what, Recurrence) for place in fused.places())
