"""The towers of CLIP and of what came after it: encoders of text and of images, alike in their
layers and in the names of their files."""

from typing import Any

from archspec.source.frozen import Frozen
from compiler.importers.config import decoder, image
from compiler.importers.config.config import Config
from compiler.importers.config.written import Written, said
from compiler.importers.names import Names


class Tower(Frozen):
    """One of two encoders; `mark` ends the names of its sizes in `dims:`, empty where it is alone.

    `norm` is its norm; `usual` that of `defaults:`, which then need not be said.
    """

    config: Config
    mark: str
    norm: Written
    usual: Written

    def name(self, word: str) -> str:
        """What a size is called."""
        return f"{word}_{self.mark}" if self.mark else word

    @property
    def width(self) -> int:
        """The width of its vectors."""
        return self.config.whole("hidden_size")

    @property
    def dims(self) -> Written:
        """Its sizes for `dims:`."""
        self.config.ignore("model_type", "architectures", "initializer_factor", "projection_dim")
        self.config.ignore("tie_word_embeddings")
        found = {
            "d_model": self.width,
            "n_layers": self.config.whole("num_hidden_layers"),
            "n_heads": self.config.whole("num_attention_heads"),
            "d_ff": self.config.whole("intermediate_size"),
        }
        return {self.name(word): size for word, size in found.items()}

    def mlp(self) -> Written:
        """Its feed-forward network, as a residual step."""
        step = {"mlp": {"hidden": self.name("d_ff"), "act": self.config.activation()}}
        return {**step, **self._own_norm()}

    def stack(self, mask: str | None = None) -> Written:
        """Its layers."""
        attention = {"attention": said(heads=self.name("n_heads"), mask=mask)}
        layer = {"attn": {**attention, **self._own_norm()}, "mlp": self.mlp()}
        return {"stack": {"repeat": self.name("n_layers"), "layer": layer}}

    def _own_norm(self) -> Written:
        return {} if self.norm == self.usual else {"norm": self.norm}


def defaults(config: Config, norm: Written) -> Written:
    """`defaults:` of both towers, with the dropout of one."""
    rates = {"attention": config.number("attention_dropout", 0.0)}
    return decoder.defaults(config, norm, rates, at="pre", bias=True)


def text_sizes(tower: Tower) -> Written:
    """The sizes of a text tower."""
    config = tower.config
    vocabulary, length = config.whole("vocab_size"), config.whole("max_position_embeddings")
    return {"vocab": vocabulary, "max_len": length, **tower.dims}


def embedding(tower: Tower) -> Written:
    """The embedding of a text tower, with learned positions."""
    table = {"vocab": "vocab", "dim": tower.name("d_model"), "positions": {"learned": "max_len"}}
    return {"embed": table, "in": "ids"}


def cut(tower: Tower, **more: Any) -> tuple[Written, Written, Written]:
    """Sizes, input and patches of an image tower."""
    tower.config.ignore("vocab_size")  # written by LLaVA's towers, which have no table of tokens
    picture = image.Picture.of(tower.config)
    patches = {"patches": picture.patches(tower.name("d_model"), **more), "in": "pixels"}
    return {**picture.dims, **tower.dims}, picture.input, patches


def text_rules(names: Names, prefix: str = "") -> dict[str, Any]:
    """Rename rules of a text tower."""
    return {
        f"{prefix}embeddings.token_embedding.weight": names.table,
        f"{prefix}embeddings.position_embedding.weight": names.positions,
        f"{prefix}embeddings.position_ids": "drop",
        **layer_rules(names, prefix),
        f"{prefix}final_layer_norm.*": f"{names.final}.*",
    }


def image_rules(names: Names, prefix: str = "") -> dict[str, Any]:
    """Rename rules of an image tower, but for its first token."""
    patches = names.patches
    return {
        f"{prefix}embeddings.patch_embedding.*": f"{patches}.project.*",
        f"{prefix}embeddings.position_embedding.weight": f"{patches}.positions.weight",
        f"{prefix}embeddings.position_ids": "drop",
        **layer_rules(names, prefix),
        f"{prefix}post_layernorm.*": f"{names.final}.*",
    }


def layer_rules(names: Names, prefix: str) -> dict[str, Any]:
    """Rename rules of the layers of either tower."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = f"{prefix}encoder.layers.{{i}}"
    maps = {"q_proj": "q", "k_proj": "k", "v_proj": "v", "out_proj": "o"}
    return {
        f"{layer}.layer_norm1.*": f"{attn}.norm.*",
        **{f"{layer}.self_attn.{theirs}.*": f"{attn}.{ours}.*" for theirs, ours in maps.items()},
        f"{layer}.layer_norm2.*": f"{mlp}.norm.*",
        f"{layer}.mlp.fc1.*": f"{mlp}.up.*",
        f"{layer}.mlp.fc2.*": f"{mlp}.down.*",
    }
