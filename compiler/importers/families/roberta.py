"""RoBERTa (Liu et al. 2019) and its children: BERT with positions counted over real tokens."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.encoder import Head
from compiler.importers.config.written import Written
from compiler.importers.families.bert import POOLER, body, logits, norm, post_norm
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def roberta(names: Names) -> dict[str, Any]:
    """Rename rules for RoBERTa: BERT's, with another head."""
    return {
        **body(names),
        "lm_head.dense.*": of(names.transform),
        **norm("lm_head.layer_norm", names.transform_norm),
        **logits("lm_head", names.head),
    }


def spec(config: Config) -> Written:
    """A post-norm encoder whose positions leave padding out and begin behind its id."""
    first = int(config.number("pad_token_id")) + 1
    length = config.whole("max_position_embeddings") - first
    positions = {"learned": "max_len", "offset": first, "from": "nonpad"}
    head = Head("lm_head.decoder.weight", "gelu", pooler=POOLER)
    return post_norm(config, positions, length, head)


_DEFAULTS = {
    "vocab_size": 50265,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "norm_eps": 1e-12,
    "hidden_dropout": 0.1,
    "attention_dropout": 0.1,
    "initializer_range": 0.02,
    "pad_token_id": 1,
    "tie_word_embeddings": True,
}

ROBERTA = Family(
    roberta,
    spec,
    {
        "roberta": ModelType(
            "RoBERTa (Liu et al. 2019): a post-norm encoder with learned positions that leave "
            "padding out.",
            _DEFAULTS,
        ),
        "xlm-roberta": ModelType(
            "XLM-RoBERTa (Conneau et al. 2020): RoBERTa in a hundred languages.",
            {**_DEFAULTS, "vocab_size": 30522},
        ),
        "camembert": ModelType(
            "CamemBERT (Martin et al. 2020): RoBERTa for French.",
            {**_DEFAULTS, "vocab_size": 30522},
        ),
    },
    prefix="roberta",
)
