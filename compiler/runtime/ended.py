"""Places of sequences that have ended: the next ones of their size go on where those were."""

from typing import Final, TypeAlias

from compiler.runtime.places import Places

Size: TypeAlias = tuple[int, int]

MOST: Final = 2
"""How many are kept: a device has little room for what nobody uses."""


class Ended:
    """The latest places that nobody writes any more, by batch and length."""

    def __init__(self) -> None:
        self._kept: list[tuple[Size, Places]] = []

    def give(self, size: Size, places: Places) -> None:
        """Keep places whose sequence has ended; those that ended first make room."""
        self._kept = [*self._kept, (size, places)][-MOST:]

    def take(self, size: Size) -> Places | None:
        """Places of a size, with what their last sequence left there; None where none are kept."""
        for at, (found, places) in enumerate(self._kept):
            if found == size:
                del self._kept[at]
                return places
        return None

    def drop(self) -> None:
        """Free them all."""
        self._kept = []
