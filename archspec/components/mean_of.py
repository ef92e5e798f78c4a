"""The mean of several values."""

from typing import ClassVar

from archspec.components.component import Component


class MeanOf(Component):
    """Element-wise mean of the values of `in: [a, b]` (DeiT's two heads)."""

    word: ClassVar[str] = "mean_of"
    positionwise: ClassVar[bool] = True
