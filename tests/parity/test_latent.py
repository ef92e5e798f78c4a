"""Latent attention against DeepSeek-V2 and -V3 of transformers, all layers dense."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

import archspec
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.decoding import decoding
from compiler.verify.module import shake
from tests.parity.ours import Ours, ours, padded

V, L, H, D, M = 97, 3, 4, 32, 24
SIZES = {"kv_rank": 20, "nope_dim": 12, "rope_dim": 8, "v_dim": 10}
YARN = {"factor": 4.0, "mscale": 0.9, "mscale_all_dim": 0.7}
NAMES = {
    r"model\.embed_tokens": "tok",
    r"model\.norm": "final",
    r"lm_head": "logits",
    r"model\.layers\.(\d+)\.input_layernorm": r"h.\1.attn.norm",
    r"model\.layers\.(\d+)\.post_attention_layernorm": r"h.\1.mlp.norm",
    r"model\.layers\.(\d+)\.self_attn\.(q|o)_proj": r"h.\1.attn.\2",
    r"model\.layers\.(\d+)\.self_attn\.(q_a|q_b|kv_b)_proj": r"h.\1.attn.\2",
    r"model\.layers\.(\d+)\.self_attn\.kv_a_proj_with_mqa": r"h.\1.attn.kv_a",
    r"model\.layers\.(\d+)\.self_attn\.(q|kv)_a_layernorm": r"h.\1.attn.\2_norm",
    r"model\.layers\.(\d+)\.mlp\.(\w+)_proj": r"h.\1.mlp.\2",
}
MODELS = [("V2", None, False), ("V2", 24, True), ("V3", 24, False), ("V3", None, True)]


def theirs(kind: str, rank: int | None, scaled: bool) -> nn.Module:
    import transformers

    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": 100.0}
    if scaled:
        rope |= {"rope_type": "yarn", "original_max_position_embeddings": 16, **YARN}
    config = getattr(transformers, f"Deepseek{kind}Config")(
        vocab_size=V,
        hidden_size=D,
        intermediate_size=M,
        num_hidden_layers=L,
        first_k_dense_replace=L,
        num_attention_heads=H,
        num_key_value_heads=H,
        q_lora_rank=rank,
        kv_lora_rank=SIZES["kv_rank"],
        qk_nope_head_dim=SIZES["nope_dim"],
        qk_rope_head_dim=SIZES["rope_dim"],
        v_head_dim=SIZES["v_dim"],
        rope_parameters=rope,
        attn_implementation="eager",
    )
    made: nn.Module = getattr(transformers, f"Deepseek{kind}ForCausalLM")(config).eval()
    shake(made)
    return made


def spec(rank: int | None, scaled: bool) -> dict[str, Any]:
    rope: dict[str, Any] = {"theta": 100, "pairs": "adjacent"}
    scale = "(nope + turned) ** -0.5"
    if scaled:
        rope["scaling"] = {"yarn": {**YARN, "original": 16}}
        scale += " * (0.07 * ln(4) + 1) ** 2"
    latent = SIZES | ({} if rank is None else {"q_rank": rank})
    attention = {"heads": H, "mask": "causal", "latent": latent, "rope": rope, "scale": scale}
    layer = {
        "attn": {"attention": attention},
        "mlp": {"mlp": {"hidden": M, "act": "silu", "gated": True}},
    }
    return {
        "name": "latent",
        "dims": {"nope": SIZES["nope_dim"], "turned": SIZES["rope_dim"]},
        "inputs": {"ids": {"tokens": {"max": 64, "padded": True}}},
        "defaults": {"norm": {"rms": 1e-6}, "norm_at": "pre"},
        "graph": {
            "tok": {"embed": {"vocab": V, "dim": D}, "in": "ids"},
            "h": {"stack": {"repeat": L, "layer": layer}},
            "final": {"norm": {"rms": 1e-6}},
            "logits": {"unembed": {"vocab": V}},
        },
    }


def renamed(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    found = {}
    for name, tensor in weights.items():
        for pattern, to in NAMES.items():
            name = re.sub(rf"^{pattern}(?=\.weight$)", to, name)
        found[name] = tensor.contiguous()
    return found


def compared(model: nn.Module, rank: int | None, scaled: bool, folder: Path) -> Ours:
    save_file(renamed(model.state_dict()), folder / "model.safetensors")
    made = compiled(archspec.load(spec(rank, scaled)))
    assert isinstance(made, Compiled), made
    return ours(made, folder / "model.safetensors", folder / "ours")


@pytest.mark.parametrize(("kind", "rank", "scaled"), MODELS)
def test_logits(kind: str, rank: int | None, scaled: bool, tmp_path: Path) -> None:
    model = theirs(kind, rank, scaled)
    mine = compared(model, rank, scaled, tmp_path)
    for batch, length in ((1, 5), (3, 21)):
        draw = torch.Generator().manual_seed(length)
        ids, mask = torch.randint(V, (batch, length), generator=draw), padded(batch, length, 3)
        with torch.no_grad():
            wanted = model(ids, attention_mask=mask.long()).logits
        mine.agrees({"ids": ids, "ids_mask": mask}, [wanted], mask)
    assert decoding(mine.made, mine.model).ok
