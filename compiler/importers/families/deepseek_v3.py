"""DeepSeek-V3 and -R1 (DeepSeek-AI 2024): V2 with sigmoid scores and a correction of the choice."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.written import Written, said
from compiler.importers.families.deepseek_v2 import deepseek_v2, mixed
from compiler.importers.families.family import Family, ModelType
from compiler.importers.names import Names

PREDICTING = ("eh_proj", "enorm", "hnorm", "embed_tokens", "shared_head.head", "shared_head.norm")


def deepseek_v3(names: Names) -> dict[str, Any]:
    """Rename rules: V2's. The layer after the last predicts one token more and is left out.

    Files in FP8 hold scales beside the weights, which must be multiplied in first.
    """
    rules = {
        **deepseek_v2(names),
        "layers.{i}.mlp.gate.e_score_correction_bias": (
            f"{names.stack}.{{i}}.{names.moe}.router.correction"
        ),
    }
    beyond = f"layers.{names.layers}"
    further = [f"{beyond}.{each}.weight" for each in PREDICTING]
    copies = [s.replace("layers.{i}", beyond) for s in rules if s.startswith("layers.{i}.")]
    return {**dict.fromkeys([*further, *copies], "drop"), **rules}


def spec(config: Config) -> Written:
    """A group is as good as its best two experts; the shares of the chosen add up to a factor."""
    config.only("scoring_func", "sigmoid", "DeepSeek-V3 takes the sigmoid of each")
    config.only("topk_method", "noaux_tc", "DeepSeek-V3 corrects its choice instead of a loss")
    config.ignore("num_nextn_predict_layers", "num_mtp_layers", "aux_loss_alpha")
    renorm = config.flag("norm_topk_prob", True)
    groups, kept = config.whole("n_group"), config.whole("topk_group")
    grouped = {"groups": groups, "top_groups": kept, "group_score": "top2"} if groups > 1 else {}
    scale = config.number("routed_scaling_factor")
    router = said(
        score="sigmoid",
        correction=True,
        **grouped,
        renorm=renorm or None,
        renorm_eps=1e-20 if renorm else None,
        scale=None if scale == 1 else scale,
    )
    pairs = "adjacent" if config.flag("rope_interleave", True) else "halves"
    return mixed(config, pairs=pairs, router=router)


DEEPSEEK_V3 = Family(
    deepseek_v3,
    spec,
    {
        "deepseek_v3": ModelType(
            "DeepSeek-V3 (DeepSeek-AI 2024): a decoder with latent attention and small experts, "
            "chosen within groups by a sigmoid and a learned correction.",
            {
                "vocab_size": 129280,
                "hidden_size": 7168,
                "intermediate_size": 18432,
                "moe_intermediate_size": 2048,
                "num_hidden_layers": 61,
                "num_attention_heads": 128,
                "num_local_experts": 256,
                "num_experts_per_tok": 8,
                "n_shared_experts": 1,
                "first_k_dense_replace": 3,
                "n_group": 8,
                "topk_group": 4,
                "routed_scaling_factor": 2.5,
                "q_lora_rank": 1536,
                "kv_lora_rank": 512,
                "qk_nope_head_dim": 128,
                "qk_rope_head_dim": 64,
                "v_head_dim": 128,
                "max_position_embeddings": 4096,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
