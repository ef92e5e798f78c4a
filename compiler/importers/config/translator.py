"""What BART and the translation models like it have in common: two towers around one table."""

from typing import Any

from archspec.source.frozen import Frozen
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, refuse_class, settings
from compiler.importers.config.pattern import stack
from compiler.importers.config.written import Written, said

NORM: Written = {"layer": 1e-5}
"""The same in all of them; no config has it."""

HEADS = ("ForConditionalGeneration", "MTModel")


class Kind(Frozen):
    """What a family's class decides: where norms stand, one behind the embedding, which positions.

    Old configs say the same by keys that no class reads, so that other values are refused.
    """

    pre_norm: bool
    embed_norm: bool
    learned: bool

    def check(self, config: Config) -> None:
        """Refuse what the class does not do."""
        why = "this family's class does the other"
        config.only("normalize_before", self.pre_norm, why)
        config.only("add_final_layer_norm", self.pre_norm, why)
        config.only("normalize_embedding", self.embed_norm, why)
        config.only("static_position_embeddings", not self.learned, why)
        config.only("add_bias_logits", False, why)
        config.only("is_encoder_decoder", True, "only an encoder with its decoder is imported")
        config.only("is_decoder", False, "only an encoder with its decoder is imported")
        config.ignore("num_hidden_layers", "classif_dropout", "output_past", "extra_pos_embeddings")
        config.ignore("force_bos_token_to_be_generated")

    def positions(self) -> Written:
        """A table whose first two rows are nobody's, or all sines before all cosines."""
        if self.learned:
            return {"learned": "max_len", "offset": 2}
        return {"sinusoid": {"max": "max_len", "layout": "halves"}}


def translator(config: Config, kind: Kind) -> Written:
    """The spec of an encoder and a decoder that reads it."""
    kind.check(config)
    dims = sizes(config)
    dims["max_len"] = config.whole("max_position_embeddings")
    feed = config.activation()
    scale = "sqrt(d_model)" if config.flag("scale_embedding") else None
    ways = said(scale=scale, positions=kind.positions(), norm=NORM if kind.embed_norm else None)
    shared = config.flag("share_encoder_decoder_embeddings", True)
    own = {"vocab": "vocab", "dim": "d_model"}
    second = {"share": "src"} if shared else {**own, "vocab": "dec_vocab"}
    if not shared:
        dims["dec_vocab"] = config.whole("decoder_vocab_size")
    config.ignore("decoder_vocab_size")
    encoder = {
        "self": {"attention": {"heads": "n_heads", "mask": "full"}},
        "mlp": {"mlp": {"hidden": "d_ff", "act": feed}},
    }
    heads = either(dims, "n_dec_heads", "n_heads")
    decoder = {
        "self": {"attention": {"heads": heads, "mask": "causal"}},
        "cross": {"attention": {"heads": heads, "source": "memory"}},
        "mlp": {"mlp": {"hidden": either(dims, "d_dec_ff", "d_ff"), "act": feed}},
    }
    memory = {"stack": stack([encoder] * dims["n_layers"], "n_layers")}
    count = either(dims, "n_dec_layers", "n_layers")
    graph: Written = {
        "src": {"embed": {**own, **ways}, "in": "src_ids"},
        **({"enc": memory, "memory": {"norm": NORM}} if kind.pre_norm else {"memory": memory}),
        "tgt": {"embed": {**second, **ways}, "in": "tgt_ids"},
        "dec": {"stack": stack([decoder] * dims[count], count)},
        **({"final": {"norm": NORM}} if kind.pre_norm else {}),
        **_head(config, "src" if shared else "tgt", "vocab" if shared else "dec_vocab"),
    }
    at = "pre" if kind.pre_norm else "post"
    return {
        "dims": dims,
        "inputs": {"src_ids": {"tokens": {"padded": True}}, "tgt_ids": "tokens"},
        "defaults": settings(config, NORM, at=at, bias=True, embed="hidden_dropout"),
        "graph": graph,
    }


def sizes(config: Config) -> Written:
    """`dims:` of two towers; those of the decoder where they differ."""
    pairs = {
        "n_layers": ("n_dec_layers", "encoder_layers", "decoder_layers"),
        "n_heads": ("n_dec_heads", "encoder_attention_heads", "decoder_attention_heads"),
        "d_ff": ("d_dec_ff", "encoder_ffn_dim", "decoder_ffn_dim"),
    }
    dims: Written = {"vocab": config.whole("vocab_size"), "d_model": config.whole("hidden_size")}
    for name, (second, encoder, decoder) in pairs.items():
        dims[name] = config.whole(encoder)
        other = config.whole(decoder)
        if other != dims[name]:
            dims[second] = other
    return dims


def either(dims: Written, name: str, otherwise: str) -> str:
    """The name of a size of the decoder, which is the encoder's where they are equal."""
    return name if name in dims else otherwise


def _head(config: Config, table: str, vocabulary: str) -> dict[str, Any]:
    """Logits with a bias of their own; none for a bare model."""
    if not has_head(config):
        return {}
    rows = {"tie": table} if config.flag("tie_word_embeddings") else {"vocab": vocabulary}
    return {"logits": {"unembed": {**rows, "bias": True}}}


def has_head(config: Config) -> bool:
    """Whether the model says logits; a bare one does not, and others are refused."""
    architecture = architecture_of(config)
    if not architecture or architecture.endswith(HEADS):
        return True
    config.ignore("tie_word_embeddings")
    if not architecture.endswith("Model"):
        refuse_class(config, "only translation models and bare models are imported")
    return False
