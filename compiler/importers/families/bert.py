"""BERT's published files (Devlin et al. 2019); their pre-training heads are dropped."""

from typing import Any

from compiler.importers.names import Names


def bert(names: Names) -> dict[str, Any]:
    """Rename rules for BERT and what shares its files' names, MiniLM among them.

    Old files call a norm's weight and bias gamma and beta. Prefixes (`bert.`) are left out.
    """
    embed, attn = names.embed, f"{names.stack}.{{i}}.{names.attention}"
    mlp = f"{names.stack}.{{i}}.{names.mlp}"
    layer = "encoder.layer.{i}"
    return {
        "embeddings.word_embeddings.weight": names.table,
        "embeddings.position_embeddings.weight": names.positions,
        "embeddings.token_type_embeddings.weight": f"{embed}.types.weight",
        **_norm("embeddings.LayerNorm", f"{embed}.norm"),
        "embeddings.position_ids": "drop",
        f"{layer}.attention.self.query.*": f"{attn}.q.*",
        f"{layer}.attention.self.key.*": f"{attn}.k.*",
        f"{layer}.attention.self.value.*": f"{attn}.v.*",
        f"{layer}.attention.output.dense.*": f"{attn}.o.*",
        **_norm(f"{layer}.attention.output.LayerNorm", f"{attn}.post_norm"),
        f"{layer}.intermediate.dense.*": f"{mlp}.up.*",
        f"{layer}.output.dense.*": f"{mlp}.down.*",
        **_norm(f"{layer}.output.LayerNorm", f"{mlp}.post_norm"),
        "pooler.dense.*": f"{names.pooler}.*" if names.pooler else "drop",
        "cls.predictions.bias": "drop",
        "cls.predictions.decoder.*": "drop",
        "cls.predictions.transform.dense.*": "drop",
        "cls.predictions.transform.LayerNorm.*": "drop",
        "cls.predictions.transform.LayerNorm.gamma": "drop",
        "cls.predictions.transform.LayerNorm.beta": "drop",
        "cls.seq_relationship.*": "drop",
    }


def _norm(file_name: str, ours: str) -> dict[str, Any]:
    return {
        f"{file_name}.*": f"{ours}.*",
        f"{file_name}.gamma": f"{ours}.weight",
        f"{file_name}.beta": f"{ours}.bias",
    }
