"""Stages: an encoder runs once, and what a decoder steps through reads what it left."""

from typing import Any

import pytest
import torch

from compiler.passes.stages import stages
from compiler.verify.module import of_source
from tests.backends.torch.live import Live, apart, live
from tests.lower.specs import decoder, encoder_decoder, model


def parts(found: Live) -> tuple[list[str], list[str], list[str]] | None:
    split = stages(found.fused.main, found.fused.grown)
    if split is None:
        return None
    encode = [node.id for node in split.encode]
    decode = [node.id for node in split.decode]
    return encode, decode, [value.node for value in split.crossing]


def test_nothing_that_depends_on_the_decoders_tokens_is_encoded() -> None:
    found = parts(live(encoder_decoder()))
    assert found is not None
    encode, decode, crossing = found
    assert encode == ["a", "seen", "memory"]
    assert {"b", "dec", "logits"} <= set(decode)
    assert not set(encode) & set(decode)
    assert crossing == ["memory"]


def test_a_decoder_alone_has_one_stage() -> None:
    assert parts(live(decoder())) is None


def test_an_encoder_alone_has_one_stage() -> None:
    graph = {"a": {"embed": {"vocab": 9, "dim": 8}, "in": "ids"}, "p": {"pool": "mean"}}
    assert parts(live(model(graph))) is None


def two_sources() -> dict[str, Any]:
    """A decoder over two encoded sources; three embeddings read the table of the first."""
    read = {"embed": {"share": "a"}}
    body = {"mlp": {"mlp": {"hidden": 8, "act": "relu"}}}
    cross = {n: {"attention": {"heads": 2, "source": f"{n}_memory"}} for n in ("one", "two")}
    own = {"own": {"attention": {"heads": 2, "mask": "causal"}}}
    graph: dict[str, Any] = {
        "a": {"embed": {"vocab": 9, "dim": 8}, "in": "one"},
        "one_memory": {"stack": {"repeat": 1, "layer": body}},
        "b": {**read, "in": "two"},
        "two_memory": {"stack": {"repeat": 1, "layer": body}},
        "c": {**read, "in": "ids"},
        "dec": {"stack": {"repeat": 2, "layer": own | cross}},
        "logits": {"unembed": {"tie": "a"}},
    }
    return model(graph, {"one": "tokens", "two": "tokens", "ids": "tokens"})


SPECS: dict[str, dict[str, Any]] = {
    "plain": encoder_decoder(),
    "pooled": encoder_decoder(pooled={"pool": "mean", "in": "memory"})
    | {"outputs": ["logits", "pooled"]},
    "two sources": two_sources(),
    "memory too": encoder_decoder() | {"outputs": ["memory", "logits"]},
}


@pytest.mark.parametrize("name", SPECS)
def test_encoding_then_decoding_is_the_whole(name: str) -> None:
    found = live(SPECS[name])
    inputs = found.inputs(2, 5)
    whole = found.found(inputs)
    again = found.found({**inputs, **of_source(found.model, inputs)}, "decode")
    expected = found.expected(inputs)
    for one, two, three in zip(whole, again, expected, strict=True):
        assert torch.equal(one, two)
        assert apart(one, three) <= 1e-6


def test_words_of_the_two_methods_stay_with_the_spec() -> None:
    spec = encoder_decoder()
    graph = {"encode" if name == "memory" else name: node for name, node in spec["graph"].items()}
    layer = {**graph["dec"]["stack"]["layer"]}
    layer["cross"] = {"attention": {"heads": 2, "source": "encode"}}
    graph["dec"] = {"stack": {"repeat": 2, "layer": layer}}
    found = live(spec | {"graph": graph})
    assert found.apart(found.inputs()) <= 1e-6
