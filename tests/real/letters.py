"""g2p-en's published weights, letters to phonemes, under the names of our own model."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

ONCE = {
    "enc_emb": "src.weight",
    "dec_emb": "tgt.weight",
    "fc_w": "logits.weight",
    "fc_b": "logits.bias",
}


def spoken(checkpoint: Path) -> dict[str, Tensor]:
    """The weights of a `checkpoint20.npz` for `specs/history/01-seq2seq-gru.yaml`."""
    arrays = np.load(checkpoint)
    renamed = dict(ONCE)
    for side, node in (("enc", "memory"), ("dec", "dec")):
        for kind, ours in (("w", "weight"), ("b", "bias")):
            for what in ("ih", "hh"):
                renamed[f"{side}_{kind}_{what}"] = f"{node}.{ours}_{what}_l0"
    assert set(arrays.files) == set(renamed)
    return {renamed[name]: torch.from_numpy(arrays[name]) for name in arrays.files}
