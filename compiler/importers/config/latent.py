"""Latent attention out of a config: its widths, its positions and the factor on its scores."""

from compiler.importers.config.config import Config
from compiler.importers.config.written import Written, said

WIDTHS = {
    "d_q_rank": "q_lora_rank",
    "d_kv_rank": "kv_lora_rank",
    "d_nope": "qk_nope_head_dim",
    "d_rope": "qk_rope_head_dim",
    "d_value": "v_head_dim",
}
WRITTEN = {
    "q_rank": "d_q_rank",
    "kv_rank": "d_kv_rank",
    "nope_dim": "d_nope",
    "rope_dim": "d_rope",
    "v_dim": "d_value",
}


def latent_sizes(config: Config) -> Written:
    """The widths of `latent:` as `dims:`; a query without a rank is mapped at once."""
    config.ignore("qk_head_dim", "num_key_value_heads")
    turns = config.get("qk_rope_head_dim")
    config.only("head_dim", turns, "as many coordinates turn, and `qk_rope_head_dim` says others")
    optional = {"d_q_rank": config.optional("q_lora_rank")}
    needed = {name: config.whole(word) for name, word in WIDTHS.items() if name not in optional}
    return said(**optional, **needed)


def latent_attention(config: Config, dims: Written, rope: Written | None) -> Written:
    """`attention:` by the names of `dims`.

    Where positions are stretched by YaRN, DeepSeek multiplies the scores by the square of its
    temperature with the weight `mscale_all_dim`, beside what turns queries and keys.
    """
    config.only("attention_bias", False, "latent attention has no biases")
    latent = {word: name for word, name in WRITTEN.items() if name in dims}
    return said(heads="n_heads", mask="causal", scale=_scale(config), latent=latent, rope=rope)


def _scale(config: Config) -> str | None:
    parameters = config.nested("rope_parameters")
    found = parameters if parameters.said else config.nested("rope_scaling")
    kind = found.get("rope_type") or found.get("type") or "default"
    weight = found.get("mscale_all_dim")
    if kind == "default" or not weight:
        return None
    factor, weight = found.number("factor"), found.number("mscale_all_dim")
    if factor <= 1:
        return None
    return f"(d_nope + d_rope)**-0.5 * ({0.1 * weight:.12g}*ln({factor:.12g}) + 1)**2"
