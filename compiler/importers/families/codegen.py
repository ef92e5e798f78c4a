"""CodeGen (Nijkamp et al. 2022): GPT-J whose q, v and k lie in four shards, as it was trained."""

from typing import Any

from compiler.importers.families.family import Family, ModelType, replacing
from compiler.importers.families.gptj import DEFAULTS, gptj, spec
from compiler.importers.names import Names


def codegen(names: Names) -> dict[str, Any]:
    """Rename rules for CodeGen: GPT-J's, but the three projections are one, q before v before k."""
    attn = f"{names.stack}.{{i}}.{names.attention}"
    fused = {"to": [f"{attn}.q.*", f"{attn}.v.*", f"{attn}.k.*"], "op": "regroup(4 3 x)"}
    own = {"h.{i}.attn.causal_mask": "drop", "h.{i}.attn.qkv_proj.*": fused}
    return replacing(own, gptj(names))


CODEGEN = Family(
    codegen,
    spec,
    {
        "codegen": ModelType(
            "CodeGen (Nijkamp et al. 2022): GPT-J's architecture for programs, attention and mlp "
            "side by side behind one norm.",
            DEFAULTS,
        )
    },
    prefix="transformer",
)
