"""How many ids a model knows, by its files: what its spec says, on every target."""

import pytest

from compiler.backends.onnx.vocabularies import vocabularies
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from tests.generated.samples import forms

KNOWN = {
    "decoder/gpt2": {"ids": 50257},
    "decoder/opt-125m": {"ids": 50272},
    "encoder/bert-base": {"ids": 30522, "ids_types": 2},
    "encoder-decoder/t5-small": {"src_ids": 32128, "tgt_ids": 32128},
    "encoder-decoder/whisper-tiny": {"tgt_ids": 51865},
    "multimodal/clip-b32": {"ids": 49408},
    "vision/vit-b16-cls": {},
}


@pytest.mark.parametrize("target", [Target(), Target("cpu", "int4"), Target("cuda", "bf16")])
@pytest.mark.parametrize("name", KNOWN)
def test_tables_tell_how_many_ids_there_are(name: str, target: Target) -> None:
    listings = [unrolled(each, target) for each in forms(f"specs/{name}.yaml")]
    assert vocabularies(listings) == KNOWN[name]
