"""Llama with grouped queries against transformers: logits with padding, greedy decoding."""

from pathlib import Path

import pytest
import torch

from compiler.verify.module import shake
from tests.parity.greedy import greedy
from tests.parity.ours import Ours, ours, padded, spec

V, L, H, G, D, M = 97, 3, 4, 2, 32, 56


@pytest.fixture(scope="module")
def theirs() -> torch.nn.Module:
    import transformers

    config = transformers.LlamaConfig(
        vocab_size=V,
        hidden_size=D,
        intermediate_size=M,
        num_hidden_layers=L,
        num_attention_heads=H,
        num_key_value_heads=G,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 500000.0},
        attn_implementation="eager",
    )
    made: torch.nn.Module = transformers.LlamaForCausalLM(config).eval()
    shake(made)
    return made


@pytest.fixture(scope="module")
def compared(theirs: torch.nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Ours:
    folder: Path = tmp_path_factory.mktemp("llama")
    theirs.save_pretrained(folder / "published")  # type: ignore[operator]  # a transformers model
    made = spec(
        "decoder/llama3-8b.yaml",
        d_model=D,
        n_layers=L,
        n_heads=H,
        n_kv_heads=G,
        d_ff=M,
        vocab=V,
        weights="llama",
        inputs__ids={"tokens": {"max": 64, "padded": True}},
    )
    return ours(made, folder / "published", folder / "ours")


@pytest.mark.parametrize(("batch", "length"), [(1, 5), (2, 13), (3, 40)])
def test_logits(theirs: torch.nn.Module, compared: Ours, batch: int, length: int) -> None:
    ids = torch.randint(V, (batch, length), generator=torch.Generator().manual_seed(length))
    mask = padded(batch, length, length - 2)
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=mask.long()).logits
    compared.agrees({"ids": ids, "ids_mask": mask}, [wanted], mask)


def test_padding_on_the_left(theirs: torch.nn.Module, compared: Ours) -> None:
    """As generation in batches has it; rotary positions only know distances."""
    ids = torch.randint(V, (2, 9), generator=torch.Generator().manual_seed(4))
    mask = padded(2, 9, 6).flip(1)
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=mask.long()).logits
    compared.agrees({"ids": ids, "ids_mask": mask}, [wanted], mask)


def test_greedy_decoding(theirs: torch.nn.Module, compared: Ours) -> None:
    ids = torch.randint(V, (2, 6), generator=torch.Generator().manual_seed(1))
    wanted = theirs.generate(  # type: ignore[operator]  # a transformers model
        ids, max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    assert torch.equal(greedy(compared.model, ids, 18, kv=(L, 2, 2, G, 18, D // H)), wanted)
