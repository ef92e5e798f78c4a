"""What a decoder keeps of some sequences in buffers of one length."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compiler.runtime.places import Places

if TYPE_CHECKING:
    import onnxruntime


class Buffers:
    """The keys and values of some sequences, which end with this.

    Attributes:
        length: how many positions of a sequence there is room for.
        places: where they are, and the steps over them.
    """

    def __init__(self, places: Places, length: int) -> None:
        self.places, self.length = places, length

    @property
    def values(self) -> "Mapping[str, onnxruntime.OrtValue]":
        """One buffer for every input of what is kept, by its name."""
        return self.places.values
