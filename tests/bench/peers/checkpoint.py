"""Random weights in the layout in which transformers publishes them.

Run as `python -m tests.bench.peers.checkpoint KIND FOLDER DIMS`.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path


def write(kind: str, folder: Path, dims: Mapping[str, int]) -> None:
    """Save a `llama` of the given dims with a tokenizer of as many words, a `bert` or a `vit`."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

    torch.manual_seed(0)
    if kind != "llama":
        AutoModel.from_config(AutoConfig.for_model(kind)).save_pretrained(folder)
        return
    config = AutoConfig.for_model(
        kind,
        vocab_size=dims["vocab"],
        hidden_size=dims["d_model"],
        num_hidden_layers=dims["n_layers"],
        num_attention_heads=dims["n_heads"],
        num_key_value_heads=dims["n_kv_heads"],
        intermediate_size=dims["d_ff"],
        pad_token_id=0,
    )
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer(dims["vocab"], folder)


def tokenizer(words: int, folder: Path) -> None:
    """A word for each id: the builder of onnxruntime-genai wants a tokenizer."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    known = Tokenizer(WordLevel({f"w{i}": i for i in range(words)}, unk_token="w0"))
    made = PreTrainedTokenizerFast(
        tokenizer_object=known, pad_token="w0", bos_token="w1", eos_token="w2"
    )
    made.save_pretrained(folder)


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3]))
