"""GPT-2's published files (Radford et al. 2019): matrices [in, out], q, k and v as one."""

from typing import Any

from compiler.importers.names import Names


def gpt2(names: Names) -> dict[str, Any]:
    """Rename rules for GPT-2; the prefix `transformer.`, which older files lack, is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    return {
        "wte.weight": f"{names.embed}.tokens.weight",
        "wpe.weight": f"{names.embed}.positions.weight",
        "h.{i}.ln_1.*": f"{attn}.norm.*",
        "h.{i}.attn.c_attn.*": {
            "to": [f"{attn}.q.*", f"{attn}.k.*", f"{attn}.v.*"],
            "op": ["transpose", "split"],
        },
        "h.{i}.attn.c_proj.*": {"to": f"{attn}.o.*", "op": "transpose"},
        "h.{i}.ln_2.*": f"{mlp}.norm.*",
        "h.{i}.mlp.c_fc.*": {"to": f"{mlp}.up.*", "op": "transpose"},
        "h.{i}.mlp.c_proj.*": {"to": f"{mlp}.down.*", "op": "transpose"},
        "ln_f.*": f"{names.final}.*",
        "lm_head.weight": f"{names.head}.weight" if names.head else "drop",
        "h.{i}.attn.bias": "drop",
        "h.{i}.attn.masked_bias": "drop",
    }
