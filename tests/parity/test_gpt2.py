"""GPT-2 against transformers: logits with padding in a row, and greedy decoding."""

from pathlib import Path

import pytest
import torch

from compiler.verify.module import shake
from tests.parity.greedy import greedy
from tests.parity.ours import Ours, ours, padded, spec

V, R, L, H, D = 97, 40, 3, 4, 32


@pytest.fixture(scope="module")
def theirs() -> torch.nn.Module:
    import transformers

    config = transformers.GPT2Config(
        vocab_size=V, n_positions=R, n_embd=D, n_layer=L, n_head=H, attn_implementation="eager"
    )
    made: torch.nn.Module = transformers.GPT2LMHeadModel(config).eval()
    shake(made)
    return made


@pytest.fixture(scope="module")
def compared(theirs: torch.nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Ours:
    folder: Path = tmp_path_factory.mktemp("gpt2")
    theirs.save_pretrained(folder / "published")  # type: ignore[operator]  # a transformers model
    made = spec(
        "decoder/gpt2.yaml",
        d_model=D,
        n_layers=L,
        n_heads=H,
        vocab=V,
        max_len=R,
        weights="gpt2",
        inputs__ids={"tokens": {"padded": True}},
    )
    return ours(made, folder / "published", folder / "ours")


@pytest.mark.parametrize(("batch", "length"), [(1, 5), (2, 13), (3, R)])
def test_logits(theirs: torch.nn.Module, compared: Ours, batch: int, length: int) -> None:
    ids = torch.randint(V, (batch, length), generator=torch.Generator().manual_seed(length))
    mask = padded(batch, length, length - 2)
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=mask.long()).logits
    compared.agrees({"ids": ids, "ids_mask": mask}, [wanted], mask)


def test_greedy_decoding(theirs: torch.nn.Module, compared: Ours) -> None:
    ids = torch.randint(V, (2, 6), generator=torch.Generator().manual_seed(1))
    wanted = theirs.generate(  # type: ignore[operator]  # a transformers model
        ids, max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    assert torch.equal(greedy(compared.model, ids, 18, kv=(L, 2, 2, H, 18, D // H)), wanted)
