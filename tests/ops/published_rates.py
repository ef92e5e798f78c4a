"""The rates of rotary pairs as transformers computes them, for our scalings."""

from typing import Any

import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from compiler.ops.rope_by_length import Dynamic, Longrope
from compiler.ops.rope_scaling import Linear, Llama3, Proportional, Scaling, Yarn

NAMES = {
    Linear: "linear",
    Dynamic: "dynamic",
    Llama3: "llama3",
    Yarn: "yarn",
    Longrope: "longrope",
    Proportional: "proportional",
}


def rope_parameters(scaling: Scaling, theta: float, width: int) -> dict[str, Any]:
    """The `rope_parameters` of a config.json for one of our scalings."""
    found = dict(vars(scaling))
    found |= {"rope_type": NAMES[type(scaling)], "rope_theta": theta}
    if isinstance(scaling, Proportional):
        found["partial_rotary_factor"] = 2 * found.pop("pairs") / width
    if "original" in found:
        found["original_max_position_embeddings"] = found.pop("original")
    for name in ("short_factor", "long_factor"):
        if name in found:
            found[name] = list(found[name])
    return found | ({"factor": 8.0} if isinstance(scaling, Longrope) else {})


def published_rates(scaling: Scaling, theta: float, width: int, length: int) -> list[float]:
    """The rate of every pair in a sequence of `length` places."""
    config = LlamaConfig(
        hidden_size=4 * width,
        num_attention_heads=4,
        head_dim=width,
        max_position_embeddings=getattr(scaling, "original", 64),
        rope_parameters=rope_parameters(scaling, theta, width),
    )
    found, _ = ROPE_INIT_FUNCTIONS[NAMES[type(scaling)]](
        config, torch.device("cpu"), seq_len=length
    )
    rates: list[float] = found.tolist()
    return rates
