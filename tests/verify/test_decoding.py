import json
from typing import Any

import pytest
import torch

from compiler.verify.decoding import decoding, grows, states
from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.verify.changed import mistaken
from tests.verify.models import allowed, decoder, encoder, made

LEARNED = decoder(positions={"learned": 40})


@pytest.mark.parametrize(
    "spec", [decoder(), LEARNED, decoder(positions={"sinusoid": {"max": 40}}), allowed()]
)
def test_every_way_gives_the_same(spec: dict[str, object]) -> None:
    found = made(spec)
    check = decoding(found, build(found.generated))
    assert check.ok
    assert check.measured is not None
    assert check.measured > 0
    assert grows(found) == [0]


@pytest.mark.parametrize(
    ("spec", "said", "instead"),
    [
        (decoder(), "place_T = torch.arange(pos, pos + T", "place_T = torch.arange(0, T"),
        (decoder(), ".tril(pos)", ".tril()"),
        (decoder(), "kv_2BGCK[1, :, :, pos:end] = v_BGTK", "kv_2BGCK[1, :, :, pos:end] = k_BGTK"),
        (decoder(), "kv_L2BGCK[layer]", "kv_L2BGCK[0]"),
        (LEARNED, "weight.narrow(0, pos, T)", "weight[:T]"),
    ],
)
def test_a_mistake_is_found(spec: dict[str, object], said: str, instead: str) -> None:
    found = made(spec)
    check = decoding(found, mistaken(found, said, instead))
    assert check.ok is False
    assert check.reason.startswith("in ")


def test_a_learned_table_ends_where_it_ends() -> None:
    found = made(LEARNED)
    model = build(found.generated)
    rows = found.spec.inputs["ids"].max or 0
    cache = states(found, example(found.spec, found.program, 1, 4), spare=rows)
    step = {**cache, "ids": torch.zeros(1, 2, dtype=torch.long)}
    call(model, {**step, "pos": rows - 2})
    with pytest.raises(RuntimeError, match="exceeds dimension size"):
        call(model, {**step, "pos": rows - 1})


@pytest.mark.parametrize("name", ["tok", "ids"])
@pytest.mark.parametrize("word", ["pos", "kv", "encode", "decode", "types"])
def test_names_that_decoding_uses_are_free_for_specs(name: str, word: str) -> None:
    spec = json.loads(json.dumps(decoder(types=2)).replace(f'"{name}"', f'"{word}"'))
    found = made(spec)
    assert decoding(found, build(found.generated)).ok


@pytest.mark.parametrize(("original", "ok"), [(11, True), (10, None)])
def test_angles_that_change_with_the_length_are_compared_before_they_do(
    original: int, ok: bool | None
) -> None:
    spec: Any = decoder()
    layer = spec["graph"]["h"]["stack"]["layer"]
    scaling: dict[str, Any] = {"longrope": {"original": original, "factor": 4}}
    scaling["longrope"] |= {"short_factor": [1, 1.5], "long_factor": [2, 3]}
    layer["attn"]["attention"]["rope"]["scaling"] = scaling
    found = made(spec)
    assert decoding(found, build(found.generated)).ok is ok


def test_an_encoder_does_not_decode() -> None:
    found = made(encoder())
    assert decoding(found, build(found.generated)).ok is None
