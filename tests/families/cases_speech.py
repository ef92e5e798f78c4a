"""Speech to text: spectrograms of one length, and a decoder that reads them."""

from typing import TYPE_CHECKING

import torch

from tests.families.case import VOCABULARY, Case, Given, Values

if TYPE_CHECKING:
    from torch import Tensor, nn

WHISPER = {
    "vocab_size": VOCABULARY,
    "num_mel_bins": 12,
    "d_model": 32,
    "encoder_layers": 2,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 56,
    "decoder_layers": 2,
    "decoder_attention_heads": 4,
    "decoder_ffn_dim": 56,
    "max_source_positions": 20,
    "max_target_positions": 24,
    "pad_token_id": 1,
    "bos_token_id": 1,
    "eos_token_id": 1,
    "decoder_start_token_id": 2,
}


def speech() -> Given:
    """Two spectrograms and what is said so far."""
    draw = torch.Generator().manual_seed(9)
    frames = torch.randn(2, 12, 40, generator=draw)
    return Given({"features": frames, "tgt_ids": torch.randint(97, (2, 9), generator=draw)})


def recognised(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The first thing a published model says: logits, or hidden states where it has no head."""
    return [theirs(values["features"], decoder_input_ids=values["tgt_ids"])[0]]


def whisper(name: str, model: str, **more: object) -> Case:
    """A Whisper of a few layers."""
    return Case(name, "WhisperConfig", f"Whisper{model}", {**WHISPER, **more}, speech, recognised)


UNLIKE = {"decoder_layers": 3, "decoder_ffn_dim": 40}
CASES = [
    whisper("whisper", "ForConditionalGeneration"),
    whisper("whisper-bare", "Model", activation_function="relu"),
    whisper("whisper-unlike-towers", "ForConditionalGeneration", **UNLIKE),
]
