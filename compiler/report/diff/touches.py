"""Which figures a setting can touch: what a norm is multiplied by is in no matrix product."""

from collections.abc import Mapping
from typing import Final

from compiler.report.diff.change import Change

NORMS: Final = frozenset(("parameters", "parameters_active", "elementwise_flops"))
ELEMENTWISE: Final = frozenset(("elementwise_flops",))
PAIRS: Final = frozenset(
    (
        "matmul_flops_causal",
        "elementwise_flops",
        "attention_scores_elements",
        "kv_elements",
        "backward_flops",
    )
)
TRAFFIC: Final = frozenset(("read_bytes", "written_bytes"))
"""What everything touches that computes anything."""
KERNELS: Final = frozenset(("elementwise_flops", "backward_flops"))
"""A soft-capped attention is not fused, so that its gradients take fewer products."""
NOTHING: Final[frozenset[str]] = frozenset()
FIGURES: Final[Mapping[str, frozenset[str]]] = {
    "act": ELEMENTWISE,
    "bias": NORMS,
    "branch_scale": ELEMENTWISE,
    "chunk": PAIRS,
    "clip_qkv": ELEMENTWISE,
    "drop_path": NOTHING,
    "dropout": NOTHING,
    "layerscale": NORMS,
    "mask": PAIRS,
    "norm": NORMS,
    "norm_at": NORMS,
    "qk_norm": NORMS,
    "rope": ELEMENTWISE,
    "scale": ELEMENTWISE,
    "segments": PAIRS,
    "skip_scale": ELEMENTWISE,
    "softcap": KERNELS,
    "window": PAIRS,
}
"""By the first word of the setting; one that is not here may touch everything."""
LENT: Final = {
    "angle": ("rope", "latent"),
    "bias": ("position_bias",),
    "bucket": ("position_bias",),
    "mask": ("mask", "window", "chunk", "prefix", "segments", "position_bias"),
    "seen": ("mask", "window", "chunk", "prefix", "segments"),
}
"""Values that the whole model computes once for its layers, and the settings that ask for them."""
LENGTHS: Final = {
    "patches": ("prefix", "size", "image"),
    "target": ("prefix", "size", "image"),
    "joined": ("axis", "prefix"),
    "strided": ("convs", "stride", "kernel", "pad", "dilation"),
}
"""Roles of letters that stand for lengths, and the settings that they follow from."""


def asks_for(change: Change, words: tuple[str, ...]) -> bool:
    """Whether a change is of one of some settings, or of a whole part that has one."""
    if change.field:
        return change.field.partition(".")[0] in words
    return any(f"{word}:" in side for word in words for side in (change.before, change.after))


def touches(change: Change, figure: str) -> bool:
    """Whether a change of a setting can change a figure of its component.

    The first numbers of a layer's weights cost nothing; an `rnn` may have an `init` of its own,
    which maps its first state.
    """
    head = change.field.partition(".")[0]
    if head == "init" and (".layer." in change.component or change.component == "defaults"):
        return False
    known = FIGURES.get(head)
    return known is None or figure in known or (bool(known) and figure in TRAFFIC)
