"""Keys and values of a source: made once in the module that steps, and nothing of them again."""

import re
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from compiler.ir.program import Program
from compiler.passes.cost import cost
from compiler.passes.encoder_decoder import encoder_decoder
from compiler.passes.metrics import totals
from compiler.passes.source_keys import made_once, source_keys, written
from compiler.verify.compiled import Compiled
from compiler.verify.decoding import position, states
from compiler.verify.examples import example
from compiler.verify.module import build, call, of_source
from tests.lower.specs import decoder
from tests.passes.test_encoder_decoder import CASES
from tests.verify.models import made

ANEW = {"no source in every other layer", "shared layers"}
"""Layers that are not all alike, or all one: each step makes keys again."""
NUMBER = re.compile(r"\.\d+\.")
ONCE = sorted(CASES.keys() - ANEW)


def stacked(program: Program, paths: frozenset[str]) -> set[str]:
    """The parameters of operators in layers whose paths have stars for them."""
    names = program.parameters()
    return {name for name in names if NUMBER.sub(".*.", name).rpartition(".")[0] in paths}


@pytest.mark.parametrize("name", ONCE)
def test_what_is_made_once_is_what_the_encoder_of_two_programs_has(name: str) -> None:
    fused = made(CASES[name]).fused
    apart = encoder_decoder(fused)
    assert apart is not None
    keys = source_keys(written(fused))
    assert keys is not None
    stages = {node.id for node in keys.stages.encode}
    layers = {path for path in apart[0].parameters() if path.partition(".")[0] not in stages}
    assert stacked(fused, keys.made) == layers != set()


@pytest.mark.parametrize("name", ONCE)
def test_a_step_reads_keys_and_values_and_not_what_they_are_made_of(name: str) -> None:
    keys = source_keys(written(made(CASES[name]).fused))
    assert keys is not None
    outputs = set(keys.main.outputs.values())
    for value in keys.read:
        assert (value in keys.stages.crossing) == (value in outputs)
        assert not any(value in node.inputs for node in keys.stages.decode)
    for maker in keys.makers.values():
        assert len(maker.ends) == 2
    assert keys.makers.keys() <= keys.steps.keys()


@pytest.mark.parametrize("name", sorted(ANEW))
def test_layers_that_are_not_alike_make_them_anew(name: str) -> None:
    found = made(CASES[name])
    assert source_keys(written(found.fused)) is None
    assert not made_once(found.program)
    assert not cost(found.program).keeps_source
    assert "cross_kv" not in found.generated.text


def test_a_decoder_alone_has_none() -> None:
    assert source_keys(written(made(decoder()).fused)) is None


def test_a_node_of_the_same_name_stays_the_spec_s() -> None:
    spec = CASES["plain"]
    graph: dict[str, Any] = {**spec["graph"]}
    graph["cross_kv"] = {**graph["b"]}
    found = made({**spec, "graph": graph, "outputs": ["logits", "cross_kv"]})
    assert source_keys(written(found.fused)) is None


@pytest.mark.parametrize("name", CASES)
def test_torch_does_for_a_step_what_the_report_says(name: str) -> None:
    """FLOPs of matrix products of one new position behind others, as torch dispatches them."""
    found = made(CASES[name])
    costs = cost(found.program)
    given = example(found.spec, found.program, 2, 7, padded=False)
    at = {**given.lengths, costs.batch: 2, costs.target: 1}
    at[costs.seen] = given.values[found.program.grown].shape[1]
    wanted = totals(costs, at)["decode_flops"]
    assert step_flops(found, given) == wanted


def step_flops(found: Compiled, given: Any) -> int:
    """The last position of a sequence behind a cache of the others, on the meta device."""
    model: Any = build(found.generated, device="meta").requires_grad_(False)
    values = {n: v.to("meta") for n, v in {**given.values, **states(found, given)}.items()}
    values |= of_source(model, values)
    ids = found.program.grown
    length = values[ids].shape[1]
    values[ids] = values[ids][:, -1:]
    counter: Any = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        call(model.decode, {**values, position(found): length - 1})
    return int(counter.get_total_flops())
