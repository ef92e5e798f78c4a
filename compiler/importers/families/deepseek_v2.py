"""DeepSeek-V2 (DeepSeek-AI 2024): latent attention, and small experts in groups."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, mlp, rms, settings
from compiler.importers.config.latent import latent_attention, latent_sizes
from compiler.importers.config.mixture import mixture_sizes, moe
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama
from compiler.importers.families.qwen2_moe import experts_by_name
from compiler.importers.names import Names


def deepseek_v2(names: Names) -> dict[str, Any]:
    """Rename rules: Llama's, with the maps of latent attention and experts one by one."""
    attn, moe = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.moe))
    layer = "layers.{i}"
    experts = experts_by_name(names, f"{layer}.mlp") if names.moe else {}
    return {
        **llama(names),
        **experts,
        **{
            f"{layer}.mlp.shared_experts.{part}_proj.*": f"{moe}.shared.{part}.*"
            for part in ("gate", "up", "down")
        },
        f"{layer}.self_attn.q_a_proj.weight": f"{attn}.q_a.weight",
        f"{layer}.self_attn.q_a_layernorm.weight": f"{attn}.q_norm.weight",
        f"{layer}.self_attn.q_b_proj.weight": f"{attn}.q_b.weight",
        f"{layer}.self_attn.kv_a_proj_with_mqa.weight": f"{attn}.kv_a.weight",
        f"{layer}.self_attn.kv_a_layernorm.weight": f"{attn}.kv_norm.weight",
        f"{layer}.self_attn.kv_b_proj.weight": f"{attn}.kv_b.weight",
    }


def spec(config: Config) -> Written:
    """Scores are probabilities; a token chooses among all experts or within its best groups."""
    config.only("scoring_func", "softmax", "DeepSeek-V2 takes the softmax of all")
    config.only("norm_topk_prob", False, "transformers' class does not renormalise, others do")
    config.ignore("aux_loss_alpha")
    config.only("mlp_bias", False, "no published file has them")
    return mixed(config, pairs="adjacent", router=_router(config))


def _router(config: Config) -> Written:
    grouped = config.choice("topk_method", {"greedy": False, "group_limited_greedy": True})
    if not grouped:
        config.ignore("n_group", "topk_group")
        return said(scale=_factor(config))
    groups, kept = config.whole("n_group"), config.whole("topk_group")
    return said(groups=groups, top_groups=kept, scale=_factor(config))


def _factor(config: Config) -> float | None:
    found = config.number("routed_scaling_factor", 1.0)
    return None if found == 1 else found


def mixed(config: Config, *, pairs: str, router: Written) -> Written:
    """A decoder with latent attention whose first layers are dense and the others mixtures.

    Shared experts are one network as wide as all of them.
    """
    config.only("moe_layer_freq", 1, "every layer after the first ones has a mixture")
    dims = mixture_sizes(config, hidden="moe_intermediate_size")
    for name in ("n_kv_heads", "d_head"):
        dims.pop(name, None)
    dims |= latent_sizes(config)
    count, dense = dims["n_layers"], config.number("first_k_dense_replace", 0)
    sparse = [index >= dense for index in range(count)]
    shared = config.whole("n_shared_experts") if config.get("n_shared_experts") else None
    wide = "d_expert" if shared == 1 else f"{shared}*d_expert"
    mixture = moe(
        config, dims, router=router, sparse=sparse, shared={"hidden": wide} if shared else None
    )
    attention = latent_attention(config, dims, rope(config, pairs=pairs))
    feed, norm = mlp(config, gated=True), rms(config)
    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[{"attn": {"attention": attention}, "mlp": mixture if s else feed} for s in sparse],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


DEEPSEEK_V2 = Family(
    deepseek_v2,
    spec,
    {
        "deepseek_v2": ModelType(
            "DeepSeek-V2 (DeepSeek-AI 2024): a decoder with latent attention and small experts, "
            "some of which every token passes.",
            {
                "vocab_size": 102400,
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "moe_intermediate_size": 1407,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_local_experts": 64,
                "n_shared_experts": 2,
                "first_k_dense_replace": 0,
                "topk_method": "greedy",
                "q_lora_rank": 1536,
                "kv_lora_rank": 512,
                "qk_nope_head_dim": 128,
                "qk_rope_head_dim": 64,
                "v_head_dim": 128,
                "max_position_embeddings": 2048,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
