"""Mixers: their sums are those of the cost report, whatever else a model has."""

import pytest

import archspec
from compiler.ir.size import value
from compiler.passes.mixers import Mixer, mixers
from compiler.passes.reach import reach
from compiler.pipeline import cost
from compiler.pipeline.passes import lowered
from tests.passes.samples import SPECS

AT = {"B": 1, "T": 96, "S": 96, "W": 96}


def found(name: str) -> tuple[dict[str, Mixer], dict[str, int]]:
    program = lowered(archspec.load(SPECS / f"{name}.yaml"))
    return {mixer.path: mixer for mixer in mixers(program)}, {**AT, **program.key.sizes}


@pytest.mark.parametrize(
    "name",
    [
        "decoder/gpt2",
        "decoder/llama3-8b",
        "encoder/bert-base",
        "history/10-pre-norm",
        "history/08-masks-window",
        "history/14-primitives-attention",
    ],
)
def test_attention_is_counted_as_in_the_report(name: str) -> None:
    """Pairs of positions by the mixers' layers, against the total of the report."""
    parts, sizes = found(name)
    report = cost(str(SPECS / f"{name}.yaml"), at={k: v for k, v in AT.items() if _free(name, k)})
    mixing = sum(value(m.mixing * m.layers, sizes) for m in parts.values())
    assert mixing == report.totals["attention_flops_causal"] > 0
    scores = sum(value(m.scores * m.layers, sizes) for m in parts.values())
    assert 2 * scores == report.totals["attention_matrix_bytes_total"]
    assert {mixer.kind for mixer in parts.values()} == {"attention"}


def _free(name: str, letter: str) -> bool:
    known = lowered(archspec.load(SPECS / f"{name}.yaml")).key.key.get(letter)
    return known is not None and known.size is None


def test_published_maps_around_attention() -> None:
    """Four D by D maps of a GPT-2 layer with their biases, and a norm's two vectors not."""
    parts, sizes = found("decoder/gpt2")
    (attention,) = parts.values()
    assert value(attention.parameters, sizes) == 4 * 768**2 + 4 * 768
    assert value(attention.mapping, sizes) == 2 * 96 * 4 * 768**2
    assert value(attention.layers, sizes) == 12


def test_a_decoder_that_looks_back_is_a_recurrence() -> None:
    """All its steps wait for each other, and all that is in one step belongs to it."""
    parts, sizes = found("history/02-bahdanau-final")
    assert [mixer.kind for mixer in parts.values()] == ["recurrence", "recurrence"]
    assert value(parts["dec"].steps, sizes) == 96
    assert value(parts["memory"].steps, sizes) == 96
    assert parts["dec"].hops is not None
    assert value(parts["dec"].hops, sizes) == 96


def test_a_stack_of_recurrences_in_one_operator() -> None:
    parts, sizes = found("history/01-seq2seq")
    assert {path: value(mixer.steps, sizes) for path, mixer in parts.items()} == {
        "memory": 4 * 96,
        "dec": 4 * 96,
    }


def test_what_a_decoder_reads_it_sees_whole() -> None:
    program = lowered(archspec.load(SPECS / "history" / "02-bahdanau-final.yaml"))
    sees = {d.path: (d.reach.back, d.reach.ahead) for d in reach(program, "src_ids")}
    assert sees == {"memory": (None, None), "dec": (None, None)}
    (decoder,) = reach(program, "tgt_ids")
    assert (decoder.reach.back, decoder.reach.ahead) == (None, 0)


def test_a_cross_attention_sees_all_of_its_source_and_nothing_ahead_of_its_own() -> None:
    program = lowered(archspec.load(SPECS / "history" / "10-pre-norm.yaml"))
    own = {(d.reach.back, d.reach.ahead) for d in reach(program, "tgt_ids")}
    assert own == {(None, 0)}
    assert {(d.reach.back, d.reach.ahead) for d in reach(program, "src_ids")} == {(None, None)}


def test_lengths_behind_a_filter_follow_from_the_input() -> None:
    """Attention over the N = T - 4 places that five taps leave: every figure is one of T."""
    graph = {
        "tok": {"embed": {"vocab": 11, "dim": 8}, "in": "ids"},
        "near": {"conv": {"kernel": 5, "dim": 8, "pad": "valid"}},
        "y": {"attention": {"heads": 2}},
    }
    program = lowered(archspec.load({"name": "x", "inputs": {"ids": "tokens"}, "graph": graph}))
    sizes = {"B": 1, "T": 16, **program.key.sizes}
    attention = {mixer.path: mixer for mixer in mixers(program)}["y"]
    assert value(attention.written, sizes) == 5 * 8 * 12  # q, k, v, their mixture and its map
    assert value(attention.scores, sizes) == 2 * 12**2
    assert attention.hops is not None
    assert value(attention.hops, sizes) == 1


@pytest.mark.parametrize("length", [9, 12, 41])
def test_hops_behind_a_filter_are_over_its_places(length: int) -> None:
    """Four taps over what a stride of two leaves: each hop goes three places at most."""
    graph = {
        "short": {"conv": {"kernel": 3, "stride": 2}, "in": "x"},
        "y": {"conv": {"kernel": 4, "pad": "valid"}},
    }
    spec = {"name": "x", "inputs": {"x": {"features": ["T", 64]}}, "graph": graph}
    program = lowered(archspec.load(spec))
    hops = {mixer.path: mixer for mixer in mixers(program)}["y"].hops
    places, wanted = range(0, length, 2), 0
    while 3 * wanted < len(places) - 1:
        wanted += 1
    assert hops is not None
    assert value(hops, {"T": length, **program.key.sizes}) == wanted
