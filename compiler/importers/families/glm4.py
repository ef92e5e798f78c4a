"""GLM-4-0414 (GLM team 2025): GLM with a second norm behind every mixer."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType, replacing
from compiler.importers.families.glm import GLM, glm
from compiler.importers.families.glm import spec as glm_spec
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
    found = glm_spec(config)
    return {**found, "defaults": {**found["defaults"], "norm_at": ["pre", "out"]}}


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
