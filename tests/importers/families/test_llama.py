from pathlib import Path

import numpy as np
import torch

from compiler.importers.families.llama import llama
from compiler.importers.names import Names
from tests.importers.published import family_rules, goes_back, read_back

NAMES = Names(
    embed="tok",
    table="tok.weight",
    stack="h",
    attention="attn",
    mlp="mlp",
    final="final",
    head="logits",
)
D, M, V, K = 8, 12, 11, 4
LAYER = {
    "attn.norm.weight": (D,),
    "attn.q.weight": (2 * K, D),
    "attn.k.weight": (K, D),
    "attn.v.weight": (K, D),
    "attn.o.weight": (D, 2 * K),
    "mlp.norm.weight": (D,),
    "mlp.gate.weight": (M, D),
    "mlp.up.weight": (M, D),
    "mlp.down.weight": (D, M),
}
SHAPES: dict[str, tuple[int, ...]] = {
    "tok.weight": (V, D),
    **{f"h.{n}.{name}": shape for n in range(2) for name, shape in LAYER.items()},
    "final.weight": (D,),
    "logits.weight": (V, D),
}
THEIRS = {
    "attn.norm": "input_layernorm",
    **{f"attn.{part}": f"self_attn.{part}_proj" for part in "qkvo"},
    "mlp.norm": "post_attention_layernorm",
    **{f"mlp.{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")},
}


def saved(folder: Path) -> torch.nn.Module:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=V,
        hidden_size=D,
        intermediate_size=M,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
    )
    model: torch.nn.Module = LlamaForCausalLM(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    model.save_pretrained(folder)  # type: ignore[operator]
    return model


def test_every_parameter_is_the_published_one(tmp_path: Path) -> None:
    state = saved(tmp_path).state_dict()
    ours = read_back(tmp_path, family_rules(llama, NAMES), SHAPES)
    for n in range(2):
        for name, theirs in THEIRS.items():
            wanted = state[f"model.layers.{n}.{theirs}.weight"].numpy()
            np.testing.assert_array_equal(ours[f"h.{n}.{name}.weight"], wanted)
    np.testing.assert_array_equal(ours["logits.weight"], state["lm_head.weight"].numpy())


def test_the_file_goes_there_and_back(tmp_path: Path) -> None:
    saved(tmp_path)
    goes_back(tmp_path, family_rules(llama, NAMES), SHAPES, set())


def test_old_files_with_frequencies_load(tmp_path: Path) -> None:
    state = dict(saved(tmp_path).state_dict())
    state["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(2)
    (tmp_path / "model.safetensors").unlink()
    torch.save(state, tmp_path / "pytorch_model.bin")
    read_back(tmp_path, family_rules(llama, NAMES), SHAPES)
