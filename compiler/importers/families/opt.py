"""OPT (Zhang et al. 2022): positions counted over the mask; its 350m norms behind every step."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, layer_norm, mlp, settings, sizes
from compiler.importers.config.written import Written, said
from compiler.importers.families.bart import layers
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

OFFSET = 2
"""Rows of the table of positions that no position has."""


def opt(names: Names) -> dict[str, Any]:
    """Rename rules for OPT, BART's layers; the prefix `model.decoder.` is left out."""
    return {
        "embed_tokens.weight": names.table,
        "embed_positions.weight": names.positions,
        "project_in.weight": f"{names.embed}.project.weight",
        **layers(names, "layers.{i}"),
        "final_layer_norm.*": f"{names.final}.*",
        "project_out.weight": f"{names.head}_project.weight",
        "lm_head.weight": of(names.head, "weight"),
    }


def spec(config: Config) -> Written:
    """A decoder with biases everywhere; a narrow table is widened before positions are added."""
    for word in ("enable_bias", "layer_norm_elementwise_affine"):
        config.only(word, True, "only layers with biases and gains are imported")
    dims, norm = sizes(config, learned=True), layer_norm(config)
    before = config.flag("do_layer_norm_before", True)
    ends = before and not config.flag("_remove_final_layer_norm")
    narrow = config.whole("word_embed_proj_dim") if "word_embed_proj_dim" in config else None
    positions = {"learned": "max_len", "offset": OFFSET, "from": "mask"}
    logits = head(config, table="embed_tokens.weight")
    embed: Written = {"positions": positions}
    nodes: Written | None = None
    if narrow and narrow != dims["d_model"]:
        dims = {**dims, "d_embed": narrow}
        embed = {"dim": "d_embed", "project": "d_model"}
        nodes = {"pos": {"positions": positions}}
        logits = None if logits is None else {**logits, "project": "d_embed"}
    attention = said(**heads(dims), mask="causal")
    return decoder(
        config,
        dims,
        embed=embed,
        nodes=nodes,
        defaults=settings(config, norm, at="pre" if before else "post", bias=True),
        layers=[{"attn": {"attention": attention}, "mlp": mlp(config)}] * dims["n_layers"],
        final=norm if ends else None,
        head=logits,
    )


OPT = Family(
    opt,
    spec,
    {
        "opt": ModelType(
            "OPT (Zhang et al. 2022): a decoder with learned positions, counted over what is no "
            "padding, and biases everywhere.",
            {
                "vocab_size": 50272,
                "hidden_size": 768,
                "intermediate_size": 3072,
                "num_hidden_layers": 12,
                "num_attention_heads": 12,
                "max_position_embeddings": 2048,
                "hidden_act": "relu",
                "norm_eps": 1e-5,
                "hidden_dropout": 0.1,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model.decoder",
)
