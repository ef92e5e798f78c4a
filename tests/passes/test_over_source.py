"""Keys and values of an encoded source, against what transformers' models keep of it."""

import pytest

from compiler.passes.cost import cost
from compiler.passes.metrics import totals
from compiler.passes.over_source import over_source
from tests.passes.samples import chosen, lowered, named

KEPT = {
    "encoder-decoder/whisper-tiny": 4 * 2 * 384 * 1500 * 2,
    "encoder-decoder/t5-small": 6 * 2 * 512 * 512 * 2,
    "encoder-decoder/bart-base": 6 * 2 * 768 * 1024 * 2,
    "history/10-transformer-base": 6 * 2 * 512 * 512 * 2,
}
"""Layers · (keys, values) · width · positions of the source · 2 bytes."""


@pytest.mark.parametrize("name", KEPT)
def test_once_for_a_source(name: str) -> None:
    spec = named(name)
    program = lowered(spec)
    costs = cost(program)
    at = chosen(program, costs, spec, {})
    found = totals(costs, at)["source_kv_bytes"]
    assert found == KEPT[name]
    later = totals(costs, {**at, costs.seen: at[costs.seen] // 2, costs.target: 1})
    assert later["source_kv_bytes"] == found


@pytest.mark.parametrize("name", ["decoder/gpt2", "encoder/bert-base", "multimodal/clip-b32"])
def test_without_a_source_there_is_none(name: str) -> None:
    spec = named(name)
    program = lowered(spec)
    costs = cost(program)
    assert over_source(program) == ()
    assert "source_kv_bytes" not in totals(costs, chosen(program, costs, spec, {}))


def test_layers_that_look_at_themselves_are_left_out() -> None:
    places = over_source(lowered(named("encoder-decoder/t5-small")))
    assert [place.path for place in places] == ["dec.0..6.cross.sdpa"]


def test_what_transformers_keeps_of_a_source() -> None:
    """A small T5: the tensors of its cache of cross-attentions, element by element."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    config = transformers.T5Config(
        vocab_size=50,
        d_model=24,
        d_kv=6,
        d_ff=32,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
    )
    model = transformers.T5ForConditionalGeneration(config).eval()
    source = torch.ones(3, 7, dtype=torch.long)
    start = torch.zeros(3, 1, dtype=torch.long)
    with torch.no_grad():
        cache = model(input_ids=source, decoder_input_ids=start, use_cache=True).past_key_values
    layers = cache.cross_attention_cache.layers
    kept = sum(each.numel() for layer in layers for each in (layer.keys, layer.values))
    spec = named(
        "encoder-decoder/t5-small", vocab=50, d_model=24, d_kv=6, d_ff=32, n_layers=2, n_heads=4
    )
    program = lowered(spec)
    costs = cost(program)
    at = chosen(program, costs, spec, {"B": 3, "S": 7, "T": 1})
    assert totals(costs, at)["source_kv_bytes"] == kept * 2
