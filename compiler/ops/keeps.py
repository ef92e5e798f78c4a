"""What the operators of a decoder's cache share."""

from typing import ClassVar

from compiler.ir.size import Size


class Keeps:
    """Puts what new positions have to slots of a cache and gives that of all `S` seen ones."""

    slots: ClassVar[tuple[str, int]] = ("key", 2)
    """The first thing that it keeps, and the axis of the slots in it."""

    S: Size
