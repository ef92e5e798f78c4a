"""The mixtures of experts of transformers, each block by itself with the same weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

import archspec
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import shake
from tests.parity.ours import ours

D, M, E, A, SHARED = 32, 24, 8, 3, 40
GATED = {"hidden": M, "act": "silu", "gated": True}
STACKED = {
    "experts.gate_up_proj": {
        "to": ["y.experts.{j}.gate.weight", "y.experts.{j}.up.weight"],
        "op": ["unstack", "split"],
    },
    "experts.down_proj": {"to": "y.experts.{j}.down.weight", "op": "unstack"},
}
TRANSPOSED = {
    "experts.gate_up_proj": {
        "to": ["y.experts.{j}.gate.weight", "y.experts.{j}.up.weight"],
        "op": ["unstack", "transpose", "split"],
    },
    "experts.down_proj": {"to": "y.experts.{j}.down.weight", "op": ["unstack", "transpose"]},
}
ROUTER = {"gate.weight": "y.router.weight"}


@dataclass(frozen=True)
class Block:
    """A block of transformers, what it is in a spec, and where its tensors go."""

    make: Callable[[], nn.Module]
    moe: Mapping[str, Any]
    rules: Mapping[str, Any]


def _block(path: str, name: str, config: str, **sizes: Any) -> Callable[[], nn.Module]:
    def make() -> nn.Module:
        import importlib

        import transformers

        module = importlib.import_module(f"transformers.models.{path}.modeling_{path}")
        made = getattr(transformers, config)(hidden_size=D, num_experts_per_tok=A, **sizes)
        made._experts_implementation = "eager"
        found: nn.Module = getattr(module, name)(made)
        return found

    return make


def _deepseek(version: int, **sizes: Any) -> Callable[[], nn.Module]:
    path, name = f"deepseek_v{version}", f"DeepseekV{version}"
    block = "DeepseekV2Moe" if version == 2 else "DeepseekV3MoE"
    both = {"n_routed_experts": E, "moe_intermediate_size": M, "n_shared_experts": 2, **sizes}
    return _block(path, block, f"{name}Config", **both)


def _shared(name: str) -> dict[str, str]:
    return {f"{name}.{part}_proj.*": f"y.shared.{part}.*" for part in ("gate", "up", "down")}


QWEN = {"num_experts": E, "moe_intermediate_size": M, "norm_topk_prob": False}
DEEPSEEK = {"experts": E, "top_k": A, "expert": GATED, "shared": {**GATED, "hidden": 2 * M}}
BLOCKS = {
    "mixtral": Block(
        _block(
            "mixtral",
            "MixtralSparseMoeBlock",
            "MixtralConfig",
            num_local_experts=E,
            intermediate_size=M,
        ),
        {"experts": E, "top_k": A, "expert": GATED, "router": {"renorm": True}},
        {**ROUTER, **STACKED},
    ),
    "qwen2_moe": Block(
        _block(
            "qwen2_moe",
            "Qwen2MoeSparseMoeBlock",
            "Qwen2MoeConfig",
            shared_expert_intermediate_size=SHARED,
            **QWEN,
        ),
        {
            "experts": E,
            "top_k": A,
            "expert": GATED,
            "shared": {**GATED, "hidden": SHARED, "token_gate": True},
        },
        {
            **ROUTER,
            **STACKED,
            **_shared("shared_expert"),
            "shared_expert_gate.weight": "y.shared.token_gate.weight",
        },
    ),
    "qwen3_moe": Block(
        _block(
            "qwen3_moe",
            "Qwen3MoeSparseMoeBlock",
            "Qwen3MoeConfig",
            **{**QWEN, "norm_topk_prob": True},
        ),
        {"experts": E, "top_k": A, "expert": GATED, "router": {"renorm": True}},
        {**ROUTER, **STACKED},
    ),
    "deepseek_v2": Block(
        _deepseek(
            2,
            topk_method="group_limited_greedy",
            n_group=4,
            topk_group=2,
            routed_scaling_factor=1.5,
        ),
        {**DEEPSEEK, "router": {"groups": 4, "top_groups": 2, "scale": 1.5}},
        {**ROUTER, **STACKED, **_shared("shared_experts")},
    ),
    "deepseek_v3": Block(
        _deepseek(3, n_group=4, topk_group=2, routed_scaling_factor=2.5, norm_topk_prob=True),
        {
            **DEEPSEEK,
            "router": {
                "score": "sigmoid",
                "correction": True,
                "groups": 4,
                "top_groups": 2,
                "group_score": "top2",
                "renorm": True,
                "renorm_eps": 1e-20,
                "scale": 2.5,
            },
        },
        {
            **ROUTER,
            **STACKED,
            **_shared("shared_experts"),
            "gate.e_score_correction_bias": "y.router.correction",
        },
    ),
    "gpt_oss": Block(
        _block("gpt_oss", "GptOssMLP", "GptOssConfig", num_local_experts=E, intermediate_size=M),
        {
            "experts": E,
            "top_k": A,
            "expert": {**GATED, "bias": True, "clamp": 7, "alpha": 1.702, "up_offset": 1},
            "router": {"score": "none", "after_topk": "softmax", "bias": True},
        },
        {
            "router.*": "y.router.*",
            **TRANSPOSED,
            "experts.gate_up_proj": {
                "to": ["y.experts.{j}.gate.weight", "y.experts.{j}.up.weight"],
                "op": ["unstack", "transpose", "deinterleave"],
            },
            "experts.gate_up_proj_bias": {
                "to": ["y.experts.{j}.gate.bias", "y.experts.{j}.up.bias"],
                "op": ["unstack", "deinterleave"],
            },
            "experts.down_proj_bias": {"to": "y.experts.{j}.down.bias", "op": "unstack"},
        },
    ),
    "llama4": Block(
        _block(
            "llama4", "Llama4TextMoe", "Llama4TextConfig", num_local_experts=E, intermediate_size=M
        ),
        {
            "experts": E,
            "top_k": A,
            "expert": GATED,
            "shared": GATED,
            "router": {"score": "none", "after_topk": "sigmoid", "weigh": "input"},
        },
        {"router.weight": "y.router.weight", **TRANSPOSED, **_shared("shared_expert")},
    ),
}


def alone(block: Block) -> Compiled:
    """A model that is one mixture over a sequence of vectors."""
    made = compiled(
        archspec.load(
            {
                "name": "mixture",
                "inputs": {"x": {"features": ["T", D]}},
                "graph": {"y": {"moe": dict(block.moe), "in": "x"}},
                "weights": dict(block.rules),
            }
        )
    )
    assert isinstance(made, Compiled), made
    return made


def published(theirs: nn.Module, folder: Path) -> Path:
    """The block's weights in a file, under its own names."""
    file = folder / "weights.safetensors"
    save_file({name: each.contiguous() for name, each in theirs.state_dict().items()}, file)
    return file


def made_by(theirs: nn.Module, x: Tensor) -> Tensor:
    """What the published block makes of vectors."""
    with torch.no_grad():
        found: Tensor | tuple[Tensor, ...] = theirs(x)
    return (found[0] if isinstance(found, tuple) else found).view_as(x)


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_the_published_one(name: str, tmp_path: Path) -> None:
    theirs = BLOCKS[name].make().eval()
    shake(theirs)
    mine = ours(alone(BLOCKS[name]), published(theirs, tmp_path), tmp_path / "built")
    for seed, (batch, length) in enumerate([(1, 1), (2, 7), (3, 20)]):
        x = 3 * torch.randn(batch, length, D, generator=torch.Generator().manual_seed(seed))
        mine.agrees({"x": x}, [made_by(theirs, x)])


def test_the_limits_of_gpt_oss(tmp_path: Path) -> None:
    """Inputs so large that a unit without its limits gives other numbers."""
    block = BLOCKS["gpt_oss"]
    expert = {name: value for name, value in block.moe["expert"].items() if name != "clamp"}
    free = replace(block, moe={**block.moe, "expert": expert})
    theirs = block.make().eval()
    shake(theirs)
    file = published(theirs, tmp_path)
    x = 30 * torch.randn(2, 9, D, generator=torch.Generator().manual_seed(0))
    wanted = made_by(theirs, x)
    scale = float(wanted.abs().max())
    for made, near in ((block, True), (free, False)):
        mine = ours(alone(made), file, tmp_path / f"built-{near}")
        with torch.no_grad():
            away = float((mine.model(x) - wanted).abs().max())
        assert (away <= 1e-5 * scale) == near
