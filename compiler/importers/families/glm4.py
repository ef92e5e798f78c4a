"""GLM-4-0414 (GLM team 2025): GLM with a second norm behind every mixer."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, replacing
from compiler.importers.families.glm import GLM, glm
from compiler.importers.names import Names


def glm4(names: Names) -> dict[str, Any]:
    """Rename rules for GLM-4-0414: GLM's, and the norms of both branches."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    own = {
        "layers.{i}.post_self_attn_layernorm.*": f"{attn}.out_norm.*",
        "layers.{i}.post_mlp_layernorm.*": f"{mlp}.out_norm.*",
    }
    return replacing(own, glm(names))


def spec(config: Config) -> Written:
    """GLM's layers between two norms."""
    dims, norm = sizes(config), rms(config)
    biases = "qkv" if config.flag("attention_bias", True) else None
    turning = rope(config, pairs="adjacent")
    attention = said(**heads(dims), mask="causal", bias=biases, rope=turning)
    layer = {"attn": {"attention": attention}, "mlp": mlp(config, gated=True)}
    return decoder(
        config,
        dims,
        defaults={**settings(config, norm), "norm_at": ["pre", "out"]},
        layers=[layer] * dims["n_layers"],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


GLM4 = Family(
    glm4,
    spec,
    {
        "glm4": ModelType(
            "GLM-4-0414 (GLM team 2025): GLM-4 with a norm before and one behind every mixer.",
            GLM.types["glm"].defaults,
        )
    },
    prefix="model",
)
