"""Further sizes of models whose counts are published rounded, as transformers makes them."""

from typing import Any

from tests.generated.counted import Model


def sizes(width: int, layers: int, heads: int, hidden: int, **more: Any) -> dict[str, Any]:
    """The words that most configs share."""
    return {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": hidden,
        **more,
    }


LARGE = sizes(1024, 24, 16, 4096)


def gemma3(*numbers: int, kv: int, head: int = 256) -> Model:
    more = {"vocab_size": 262208, "num_key_value_heads": kv, "head_dim": head}
    return Model("Gemma3ForCausalLM", sizes(*numbers, **more))


def falcon(width: int, layers: int, heads: int) -> Model:
    new = {"new_decoder_architecture": True, "num_kv_heads": 8, "bias": False, "alibi": False}
    return Model("FalconForCausalLM", {**sizes(width, layers, heads, 4 * width), **new})


def deberta(width: int, layers: int, heads: int) -> Model:
    said: dict[str, Any] = {
        "type_vocab_size": 0,
        "position_biased_input": False,
        "relative_attention": True,
    }
    said |= {"position_buckets": 256, "share_att_key": True, "pos_att_type": ["p2c", "c2p"]}
    said |= {"norm_rel_ebd": "layer_norm", "vocab_size": 128100}
    return Model("DebertaV2Model", sizes(width, layers, heads, 4 * width, **said))


def albert(width: int, layers: int, heads: int) -> Model:
    return Model("AlbertModel", sizes(width, layers, heads, 4 * width, vocab_size=30000))


def bert(head: str) -> Model:
    return Model(f"BertFor{head}", LARGE)


def roberta(kind: str, layers: int, vocab: int) -> Model:
    more = {"vocab_size": vocab, "type_vocab_size": 1, "max_position_embeddings": 514}
    return Model(kind, sizes(768, layers, 12, 3072, **more))


def esm(width: int, layers: int, heads: int) -> Model:
    said: dict[str, Any] = {
        "vocab_size": 33,
        "position_embedding_type": "rotary",
        "pad_token_id": 1,
    }
    return Model("EsmForMaskedLM", sizes(width, layers, heads, 4 * width, **said))


def dinov2(width: int, layers: int, heads: int, gated: bool) -> Model:
    said = {"image_size": 518, "patch_size": 14, "use_swiglu_ffn": gated}
    return Model("Dinov2Model", {**sizes(width, layers, heads, 4 * width), **said})


SIZES = {
    "specs/decoder/gemma3-4b.yaml": gemma3(2560, 34, 8, 10240, kv=4),
    "specs/decoder/gemma3-12b.yaml": gemma3(3840, 48, 16, 15360, kv=8),
    "specs/decoder/gemma3-27b.yaml": gemma3(5376, 62, 32, 21504, kv=16, head=128),
    "specs/decoder/falcon-40b.yaml": falcon(8192, 60, 128),
    "specs/decoder/falcon-180b.yaml": falcon(14848, 80, 232),
    "specs/decoder/mpt-30b.yaml": Model(
        "MptForCausalLM",
        {"d_model": 7168, "n_layers": 48, "n_heads": 64, "vocab_size": 50432},
    ),
    "specs/encoder/bert-large-mlm.yaml": bert("MaskedLM"),
    "specs/encoder/bert-large-pretraining.yaml": bert("PreTraining"),
    "specs/encoder/albert-base-v2.yaml": albert(768, 12, 12),
    "specs/encoder/albert-xxlarge-v2.yaml": albert(4096, 12, 64),
    "specs/encoder/distilroberta-base.yaml": roberta("RobertaModel", 6, 50265),
    "specs/encoder/camembert-base.yaml": roberta("CamembertModel", 12, 32005),
    "specs/encoder/deberta-v3-xsmall.yaml": deberta(384, 12, 6),
    "specs/encoder/deberta-v3-small.yaml": deberta(768, 6, 12),
    "specs/encoder/deberta-v3-large.yaml": deberta(1024, 24, 16),
    "specs/encoder/modernbert-large.yaml": Model(
        "ModernBertForMaskedLM",
        sizes(1024, 28, 16, 2624, vocab_size=50368),
    ),
    "specs/encoder/nomic-embed-v1.5.yaml": Model(
        "NomicBertModel",
        sizes(768, 12, 12, 3072, vocab_size=30528),
    ),
    "specs/encoder/esm2-8m.yaml": esm(320, 6, 20),
    "specs/encoder/esm2-650m.yaml": esm(1280, 33, 20),
    "specs/encoder/esm2-15b.yaml": esm(5120, 48, 40),
    "specs/vision/dinov2-large.yaml": dinov2(1024, 24, 16, gated=False),
    "specs/vision/dinov2-giant.yaml": dinov2(1536, 40, 24, gated=True),
    "specs/multimodal/siglip-l16-256.yaml": Model(
        "SiglipModel",
        {
            "text_config": {"vocab_size": 32000, **LARGE},
            "vision_config": {"image_size": 256, **LARGE},
        },
    ),
}
"""What their released configs say beyond the defaults of their class."""
