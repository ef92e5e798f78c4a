"""Mixtral against transformers: logits with padding, greedy decoding, the balance loss."""

from pathlib import Path

import pytest
import torch
from torch import nn

from compiler.verify.module import call, shake
from tests.parity.greedy import greedy
from tests.parity.ours import Ours, ours, padded, spec

V, L, H, G, D, M, E, A = 97, 3, 4, 2, 32, 56, 6, 2


@pytest.fixture(scope="module")
def theirs() -> nn.Module:
    import transformers

    config = transformers.MixtralConfig(
        vocab_size=V,
        hidden_size=D,
        intermediate_size=M,
        num_hidden_layers=L,
        num_attention_heads=H,
        num_key_value_heads=G,
        num_local_experts=E,
        num_experts_per_tok=A,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 1000000.0},
        sliding_window=None,
        attn_implementation="eager",
    )
    made: nn.Module = transformers.MixtralForCausalLM(config).eval()
    shake(made)
    return made


@pytest.fixture(scope="module")
def compared(theirs: nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Ours:
    folder: Path = tmp_path_factory.mktemp("mixtral")
    theirs.save_pretrained(folder / "published")  # type: ignore[operator]  # a transformers model
    made = spec(
        "decoder/mixtral-8x7b.yaml",
        d_model=D,
        n_layers=L,
        n_heads=H,
        n_kv_heads=G,
        d_ff=M,
        vocab=V,
        n_experts=E,
        top_k=A,
        inputs__ids={"tokens": {"max": 64, "padded": True}},
    )
    return ours(made, folder / "published", folder / "ours")


@pytest.mark.parametrize(("batch", "length"), [(1, 1), (1, 5), (2, 13), (3, 40)])
def test_logits(theirs: nn.Module, compared: Ours, batch: int, length: int) -> None:
    ids = torch.randint(V, (batch, length), generator=torch.Generator().manual_seed(length))
    mask = padded(batch, length, max(1, length - 2))
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=mask.long()).logits
    compared.agrees({"ids": ids, "ids_mask": mask}, [wanted], mask)


def test_greedy_decoding(theirs: nn.Module, compared: Ours) -> None:
    ids = torch.randint(V, (2, 6), generator=torch.Generator().manual_seed(1))
    wanted = theirs.generate(  # type: ignore[operator]  # a transformers model
        ids, max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    assert torch.equal(greedy(compared.model, ids, 18, kv=(L, 2, 2, G, 18, D // H)), wanted)


def test_the_balance_loss(theirs: nn.Module, compared: Ours) -> None:
    """Theirs counts all layers as one and its fractions add up to A; ours is a sum over layers."""
    from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func

    ids = torch.randint(V, (2, 17), generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        call(compared.model.train(), {"ids": ids, "ids_mask": torch.ones_like(ids).bool()})
        logits = theirs(ids, output_router_logits=True).router_logits
    compared.model.eval()
    wanted = sum(load_balancing_loss_func((layer,), E, A) for layer in logits)
    found = compared.model.aux_loss()  # type: ignore[operator]  # a method of the generated model
    assert float(found) == pytest.approx(0.02 * float(wanted) / A, rel=1e-5)
