"""Whisper's published weights and a sentence to hear, in the forms that transformers publishes."""

import json
import wave
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import WhisperFeatureExtractor

from tests.real.ctranslate2 import Binary

RECORDING = Path(__file__).parent / "recording" / "amiable.wav"
SAID = "He might even have been made amiable himself."
START, SILENT, END = 50_257, 50_362, 50_256
"""The ids before what is said, the second for no times of words, and the id after it."""

LAYER = {
    "self_attention/layer_norm": ["self_attn_layer_norm"],
    "self_attention/linear_0": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    "self_attention/linear_1": ["self_attn.out_proj"],
    "attention/layer_norm": ["encoder_attn_layer_norm"],
    "attention/linear_0": ["encoder_attn.q_proj"],
    "attention/linear_1": ["encoder_attn.k_proj", "encoder_attn.v_proj"],
    "attention/linear_2": ["encoder_attn.out_proj"],
    "ffn/layer_norm": ["final_layer_norm"],
    "ffn/linear_0": ["fc1"],
    "ffn/linear_1": ["fc2"],
}
"""A layer's matrices there, stacked along their rows, and transformers' names for their parts."""

ONCE = {
    "conv1": "conv1",
    "conv2": "conv2",
    "embeddings": "embed_tokens",
    "position_encodings": "embed_positions",
    "layer_norm": "layer_norm",
}
LETTERS = {"gamma": "weight", "beta": "bias", "encodings": "weight"}
GELU = 3


def write_checkpoint(binary: Binary, folder: Path) -> None:
    """`model.safetensors`, in single precision, and `config.json`, as transformers names them."""
    folder.mkdir()
    real = {name: each for name, each in binary.variables.items() if each.dtype.kind == "f"}
    tensors = {
        f"model.{key}": torch.from_numpy(part.astype(np.float32))
        for name, array in real.items()
        for key, part in _renamed(name, array).items()
    }
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(_config(binary, tensors)))


def _renamed(name: str, array: "np.ndarray[Any, Any]") -> "dict[str, np.ndarray[Any, Any]]":
    """One variable as the tensors it holds; keys have no bias, so theirs is zeros and left out."""
    side, *path, letter = name.split("/")
    letter = LETTERS.get(letter, letter)
    if len(path) == 1:
        return {f"{side}.{ONCE[path[0]]}.{letter}": array}
    place = f"{side}.layers.{path[0].removeprefix('layer_')}"
    targets = LAYER["/".join(path[1:])]
    parts = zip(targets, np.split(array, len(targets)), strict=True)
    found = {f"{place}.{target}.{letter}": part for target, part in parts}
    unbiased = [key for key in found if key.endswith("k_proj.bias")]
    assert not any(found.pop(key).any() for key in unbiased)
    return found


def _config(binary: Binary, tensors: dict[str, Tensor]) -> dict[str, Any]:
    """The published config; every size is the shape of a tensor or a setting of the file."""
    said = {name: int(each) for name, each in binary.variables.items() if each.ndim == 0}
    assert (said["decoder/activation"], said["decoder/pre_norm"]) == (GELU, 1)
    assert said["decoder/scale_embeddings"] == 0
    assert binary.aliases == {"decoder/projection/weight": "decoder/embeddings/weight"}
    sizes: dict[str, int] = {}
    for side in ("encoder", "decoder"):
        layers = [key for key in tensors if key.startswith(f"model.{side}.layers.")]
        sizes |= {
            f"{side}_layers": len({key.split(".")[3] for key in layers}),
            f"{side}_attention_heads": said[f"{side}/num_heads"],
            f"{side}_ffn_dim": tensors[f"model.{side}.layers.0.fc1.weight"].shape[0],
        }
    width, mels, _ = tensors["model.encoder.conv1.weight"].shape
    return {
        "architectures": ["WhisperForConditionalGeneration"],
        "model_type": "whisper",
        "activation_function": "gelu",
        "is_encoder_decoder": True,
        "scale_embedding": False,
        "vocab_size": tensors["model.decoder.embed_tokens.weight"].shape[0],
        "d_model": width,
        "num_mel_bins": mels,
        "max_source_positions": tensors["model.encoder.embed_positions.weight"].shape[0],
        "max_target_positions": tensors["model.decoder.embed_positions.weight"].shape[0],
        "decoder_start_token_id": START,
        **dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"), END),
        **sizes,
    }


def heard() -> Tensor:
    """The recording as thirty seconds of log-mel frames, [1, 80, 3000]."""
    with wave.open(str(RECORDING)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 1)
        levels = np.frombuffer(file.readframes(file.getnframes()), np.uint8)
    sound = (levels.astype(np.float32) - 128) / 128
    found = WhisperFeatureExtractor()(sound, sampling_rate=16_000, return_tensors="pt")
    assert isinstance(found.input_features, Tensor)
    return found.input_features
