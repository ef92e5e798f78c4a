"""Scaled rotary positions against transformers, in sequences shorter and longer than training's."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from compiler.verify.module import shake
from tests.parity.ours import Ours, ours, padded, spec

V, L, H, D, M, ORIGINAL = 97, 4, 2, 32, 24, 16
SHORT, LONG = [1.0 + i / 8 for i in range(8)], [1.0 + 2 * i for i in range(8)]
SCALINGS: dict[str, dict[str, Any]] = {
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "yarn": {"factor": 4.0, "beta_fast": 4.0, "beta_slow": 1.0},
    "longrope": {"short_factor": SHORT, "long_factor": LONG, "factor": 4.0},
}
LENGTHS = [(2, 5), (1, ORIGINAL), (2, ORIGINAL + 1), (1, 40)]
"""Batches and lengths, on both sides of what is trained on."""


def parameters(kind: str) -> dict[str, Any]:
    """The `rope_parameters` of a config.json."""
    return {
        "rope_type": kind,
        "rope_theta": 100.0,
        "original_max_position_embeddings": ORIGINAL,
        **SCALINGS[kind],
    }


def written(kind: str) -> dict[str, Any]:
    """The same in a spec."""
    length = {} if kind == "linear" else {"original": ORIGINAL}
    return {"theta": 100, "scaling": {kind: {**SCALINGS[kind], **length}}}


def llama(rope: Mapping[str, Any], **more: Any) -> nn.Module:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=V,
        hidden_size=D,
        intermediate_size=M,
        num_hidden_layers=L,
        num_attention_heads=H,
        max_position_embeddings=ORIGINAL,
        rope_parameters=dict(rope),
        rms_norm_eps=1e-5,
        attn_implementation="eager",
        **more,
    )
    made: nn.Module = LlamaForCausalLM(config).eval()
    shake(made)
    return made


def compared(weights: Mapping[str, Tensor], folder: Path, **patches: Any) -> Ours:
    save_file({k: v.contiguous() for k, v in weights.items()}, folder / "model.safetensors")
    sizes = {"d_model": D, "n_layers": L, "n_heads": H, "n_kv_heads": H, "d_ff": M, "vocab": V}
    tokens = {"tokens": {"max": 64, "padded": True}}
    made = spec("decoder/llama3-8b.yaml", **sizes, weights="llama", inputs__ids=tokens, **patches)
    return ours(made, folder / "model.safetensors", folder / "ours")


def tokens(batch: int, length: int) -> tuple[Tensor, Tensor]:
    ids = torch.randint(V, (batch, length), generator=torch.Generator().manual_seed(length))
    return ids, padded(batch, length, length - 2)


@pytest.mark.parametrize("kind", SCALINGS)
def test_logits(kind: str, tmp_path: Path) -> None:
    theirs = llama(parameters(kind))
    mine = compared(theirs.state_dict(), tmp_path, h__layer__attn__rope=written(kind))
    for batch, length in LENGTHS:
        ids, mask = tokens(batch, length)
        with torch.no_grad():
            wanted = theirs(ids, attention_mask=mask.long()).logits
        mine.agrees({"ids": ids, "ids_mask": mask}, [wanted], mask)


def test_a_part_of_each_head_turns_by_two_lists(tmp_path: Path) -> None:
    """Phi-3 of 3/4 of each head; its joined projections are cut apart here."""
    from transformers import Phi3Config, Phi3ForCausalLM

    kept = {"short_factor": SHORT[:6], "long_factor": LONG[:6], "factor": 4.0}
    config = Phi3Config(
        eos_token_id=1,
        bos_token_id=1,
        vocab_size=V,
        hidden_size=D,
        intermediate_size=M,
        num_hidden_layers=L,
        num_attention_heads=H,
        max_position_embeddings=4 * ORIGINAL,
        original_max_position_embeddings=ORIGINAL,
        rope_parameters={**parameters("longrope"), **kept, "partial_rotary_factor": 0.75},
        pad_token_id=0,
        attn_implementation="eager",
    )
    theirs: nn.Module = Phi3ForCausalLM(config).eval()
    shake(theirs)
    weights = dict(theirs.state_dict())
    for layer in range(L):
        at = f"model.layers.{layer}."
        parts = weights.pop(f"{at}self_attn.qkv_proj.weight").chunk(3)
        weights |= {f"{at}self_attn.{n}_proj.weight": w for n, w in zip("qkv", parts, strict=True)}
        parts = weights.pop(f"{at}mlp.gate_up_proj.weight").chunk(2)
        weights |= {f"{at}mlp.{n}_proj.weight": w for n, w in zip(("gate", "up"), parts)}  # noqa: B905
    scaling = {"longrope": {**kept, "original": ORIGINAL}}
    rope = {"theta": 100, "fraction": 0.75, "scaling": scaling}
    mine = compared(weights, tmp_path, h__layer__attn__rope=rope)
    for batch, length in LENGTHS:
        ids, _ = tokens(batch, length)
        with torch.no_grad():
            wanted = theirs(ids).logits
        mine.agrees({"ids": ids, "ids_mask": torch.ones_like(ids, dtype=torch.bool)}, [wanted])


def test_layers_turn_by_bases_of_their_own_or_not_at_all(tmp_path: Path) -> None:
    """Two bases and layers without positions by turns, and another scaling in the last layer."""
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    theirs: Any = llama(parameters("linear"))
    plain = {"rope_type": "default", "rope_theta": 1000.0}
    turns = [
        LlamaRotaryEmbedding(llama(each).config)
        for each in (parameters("linear"), plain, parameters("yarn"))
    ]
    mine = compared(
        theirs.state_dict(),
        tmp_path,
        h__cycle=[
            {"attn.rope": written("linear")},
            {"attn.rope": {"theta": 1000}},
            {"attn.rope": "none"},
        ],
        h__at={3: {"attn.rope": written("yarn")}},
    )
    ids, _ = tokens(2, 21)
    mask = torch.full((21, 21), float("-inf")).triu(1)[None, None]
    with torch.no_grad():
        x = theirs.model.embed_tokens(ids)
        places = torch.arange(21)[None]
        cos, sin = turns[0](x, places)
        still = (torch.ones_like(cos), torch.zeros_like(sin))
        for layer, angles in zip(
            theirs.model.layers,
            ((cos, sin), turns[1](x, places), still, turns[2](x, places)),
            strict=True,
        ):
            x = layer(x, attention_mask=mask, position_embeddings=angles)
        wanted = theirs.lm_head(theirs.model.norm(x))
    mine.agrees({"ids": ids, "ids_mask": torch.ones_like(ids, dtype=torch.bool)}, [wanted])
    source = mine.made.generated.text
    assert source.count("angles(pos, T, x_BTD.device)") == 1
    assert source.count("angles_2(pos, T, x_BTD.device)") == 1
