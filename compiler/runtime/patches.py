"""How the patches of an image lie, read from the convolution that cuts them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compiler.report.attention_map import Patches
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from torch import nn

    from compiler.runtime.kept import Array


def patches_of(
    model: "nn.Module", session: Session, given: "Mapping[str, Array]", sources: int
) -> Patches | None:
    """The patches of the first image given, where `sources` are these and what comes before them;
    None for a model without patches."""
    from torch import nn

    images = [given[name] for name, shape in session.inputs.items() if len(shape) == 4]
    cuts = [m for m in model.modules() if isinstance(m, nn.Conv2d) and m.kernel_size == m.stride]
    if len(images) != 1 or not cuts:
        return None
    rows, columns = (
        size // side for size, side in zip(images[0].shape[2:], cuts[0].stride, strict=True)
    )
    before = sources - rows * columns
    return Patches(images[0][0], rows, columns, before) if before >= 0 else None
