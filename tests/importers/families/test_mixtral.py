from pathlib import Path

import numpy as np
import torch

from compiler.importers.families.mixtral import mixtral
from compiler.importers.names import Names
from tests.importers.published import family_rules, goes_back, read_back

NAMES = Names(
    embed="tok",
    table="tok.weight",
    stack="h",
    attention="attn",
    moe="moe",
    final="final",
    head="logits",
)
D, M, V, K, E = 8, 12, 11, 4, 3
EXPERT = {"gate.weight": (M, D), "up.weight": (M, D), "down.weight": (D, M)}
LAYER: dict[str, tuple[int, ...]] = {
    "attn.norm.weight": (D,),
    "attn.q.weight": (2 * K, D),
    "attn.k.weight": (K, D),
    "attn.v.weight": (K, D),
    "attn.o.weight": (D, 2 * K),
    "moe.norm.weight": (D,),
    "moe.router.weight": (E, D),
    **{f"moe.experts.{j}.{name}": shape for j in range(E) for name, shape in EXPERT.items()},
}
SHAPES: dict[str, tuple[int, ...]] = {
    "tok.weight": (V, D),
    **{f"h.{n}.{name}": shape for n in range(2) for name, shape in LAYER.items()},
    "final.weight": (D,),
    "logits.weight": (V, D),
}


def saved(folder: Path) -> torch.nn.Module:
    from transformers import MixtralConfig, MixtralForCausalLM

    config = MixtralConfig(
        vocab_size=V,
        hidden_size=D,
        intermediate_size=M,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        num_local_experts=E,
    )
    model: torch.nn.Module = MixtralForCausalLM(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    model.save_pretrained(folder)  # type: ignore[operator]  # a transformers model
    return model


def test_every_expert_is_the_published_one(tmp_path: Path) -> None:
    """In memory transformers stacks the experts, gate above up; its files hold them one by one."""
    state = saved(tmp_path).state_dict()
    ours = read_back(tmp_path, family_rules(mixtral, NAMES), SHAPES)
    for n in range(2):
        theirs = f"model.layers.{n}.mlp"
        gate_up = state[f"{theirs}.experts.gate_up_proj"].numpy()
        for j in range(E):
            found = [ours[f"h.{n}.moe.experts.{j}.{part}.weight"] for part in ("gate", "up")]
            np.testing.assert_array_equal(np.concatenate(found), gate_up[j])
            down = state[f"{theirs}.experts.down_proj"][j].numpy()
            np.testing.assert_array_equal(ours[f"h.{n}.moe.experts.{j}.down.weight"], down)
        router = state[f"{theirs}.gate.weight"].numpy()
        np.testing.assert_array_equal(ours[f"h.{n}.moe.router.weight"], router)


def test_the_file_goes_there_and_back(tmp_path: Path) -> None:
    saved(tmp_path)
    goes_back(tmp_path, family_rules(mixtral, NAMES), SHAPES, set())
