"""Which figures a setting can touch: what a norm is multiplied by is in no matrix product."""

from typing import Final

NORMS: Final = frozenset(("parameters", "parameters_active", "elementwise_flops"))
ELEMENTWISE: Final = frozenset(("elementwise_flops",))
PAIRS: Final = frozenset(
    ("matmul_flops_causal", "elementwise_flops", "attention_scores_elements", "kv_elements")
)
NOTHING: Final[frozenset[str]] = frozenset()
FIGURES: Final = {
    "act": ELEMENTWISE,
    "bias": NORMS,
    "branch_scale": ELEMENTWISE,
    "chunk": PAIRS,
    "clip_qkv": ELEMENTWISE,
    "drop_path": NOTHING,
    "dropout": NOTHING,
    "init": NOTHING,
    "layerscale": NORMS,
    "mask": PAIRS,
    "norm": NORMS,
    "norm_at": NORMS,
    "prefix": PAIRS,
    "qk_norm": NORMS,
    "rope": ELEMENTWISE,
    "scale": ELEMENTWISE,
    "segments": PAIRS,
    "skip_scale": ELEMENTWISE,
    "softcap": ELEMENTWISE,
    "window": PAIRS,
}
"""By the first word of the setting; one that is not here may touch everything."""


def touches(field: str, figure: str) -> bool:
    """Whether changing a setting can change a figure of its component."""
    known = FIGURES.get(field.partition(".")[0])
    return known is None or figure in known
