"""What does not go with latent attention: settings of keys and values that each head has."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from archspec.components.component import Conflict

if TYPE_CHECKING:
    from archspec.components.attention import Attention

GOES: Final = frozenset(
    ("heads", "kv_heads", "mask", "mask_edge", "window", "chunk", "segments", "scale", "rope")
)
WHY: Final = {
    "head_dim": "it is `nope_dim` + `rope_dim`",
    "value_dim": "it is `v_dim`",
    "kv_heads": "every head has keys and values of its own",
    "bias": "its maps have none",
}


def conflicts(part: "Attention") -> Iterator[Conflict]:
    """Fields beside `latent` that are said of heads with keys of their own."""
    if part.latent is None:
        return
    beside = (("latent", "keys and values are maps of this"),)
    fields = type(part).model_fields
    own = [name for name in fields if name not in (*GOES, "latent")]
    said = [name for name in own if getattr(part, name) != fields[name].default]
    if part.kv_heads != part.heads:
        said.append("kv_heads")
    for name in said:
        label = WHY.get(name, "not with latent vectors")
        yield Conflict("AR0242", f"`{name}` does not go with `latent`", name, label, beside)
    if part.rope and (part.rope.dim is not None or part.rope.fraction != 1):
        name = "dim" if part.rope.dim is not None else "fraction"
        yield Conflict(
            "AR0242",
            f"`rope.{name}` does not go with `latent`",
            "rope",
            "`rope_dim` says how many coordinates turn",
            beside,
        )
