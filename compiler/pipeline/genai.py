"""The file by which onnxruntime-genai generates from a model folder."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from compiler.backends.onnx import MODEL
from compiler.backends.onnx.decoder import Decoder
from compiler.ir.target import Target
from compiler.pipeline.folder import Draft
from compiler.runtime.beside import CONFIG
from compiler.runtime.providers import usual_options
from compiler.runtime.published import CONFIGS, first_ids, read_object

MODEST: Final = 2048
"""Positions that a cache is made for unless a caller asks for more; a context may be large."""


def write_genai(
    draft: Draft, made: Decoder, context: int, target: Target, published: Path | None
) -> None:
    """Write `genai_config.json`.

    `context` is the longest sequence; `published` is the folder of the weights, if there is one.
    """
    text = json.dumps(genai_config(made, context, target, _ids(published)), indent=2)
    draft.write(CONFIG, text + "\n")


def genai_config(
    made: Decoder, context: int, target: Target, ids: Mapping[str, Any]
) -> dict[str, Any]:
    """A decoder as onnxruntime-genai reads it; `decoder` is its word for one of any family."""
    inputs = {"input_ids": made.ids, **({"attention_mask": made.mask} if made.mask else {})}
    kept = ("key", "value")
    inputs |= {f"past_{kind}_names": f"past_key_values.%d.{kind}" for kind in kept}
    outputs = {"logits": made.logits}
    outputs |= {f"present_{kind}_names": f"present.%d.{kind}" for kind in kept}
    options = usual_options(target.precision)
    providers: list[dict[str, Any]] = [{"cuda": options}] if target.provider == "cuda" else []
    return {
        "model": {
            "type": "decoder",
            "vocab_size": made.vocabulary,
            "context_length": context,
            **ids,
            "decoder": {
                "filename": MODEL,
                "num_hidden_layers": made.layers,
                "num_key_value_heads": made.kv_heads,
                "head_size": made.head_dim,
                "session_options": {"provider_options": providers},
                "inputs": inputs,
                "outputs": outputs,
            },
        },
        "search": {
            "do_sample": False,
            "max_length": min(context, MODEST),
            "past_present_share_buffer": made.shares,
        },
    }


def _ids(published: Path | None) -> dict[str, Any]:
    """The ids that published weights name for the begin, the end and the padding of a text."""
    if published is None:
        return {}
    configs = [read_object(published / name) for name in CONFIGS]
    words = ("bos_token_id", "eos_token_id", "pad_token_id")
    found = {word: first_ids(configs, word) for word in words}
    return {word: ids[0] if len(ids) == 1 else list(ids) for word, ids in found.items() if ids}
