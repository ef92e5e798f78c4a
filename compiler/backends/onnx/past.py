"""What a decoder keeps between steps, in a model file: an input and an output a layer."""

from dataclasses import replace
from typing import Final

from archspec.source.frozen import Frozen

PREFIX: Final = "past_key_values"
"""How inputs of earlier steps are called in the field: `past_key_values.3.key`."""


class Past(Frozen):
    """A cache as a value of the program: which layers are meant, `3` or `0..12`, of all that the
    model keeps, one cache after the other.

    `side` tells the cache of a `decoder` from what its `encoder` has made for it; it is empty in a
    model of one file.
    """

    layers: str = "0"
    side: str = ""

    def layer(self, mark: str) -> "Past":
        """One layer of a cache, or those of a folded repeat: `mark` counts from its first on."""
        first = int(self.layers)
        span, *step = mark.split(":")
        ends = "..".join(str(first + int(end)) for end in span.split(".."))
        return replace(self, layers=":".join((ends, *step)))

    def names(self, kind: str) -> tuple[str, str]:
        """The input with what was kept before, and the output with what is kept now."""
        place = f"{self.layers}.{self.side}.{kind}" if self.side else f"{self.layers}.{kind}"
        return f"{PREFIX}.{place}", f"present.{place}"


class Carried(Frozen):
    """The state of a recurrence as a value of the program, `dec.h`; of layers that are told by a
    star: `h.*.mix.rnn.c`."""

    path: str

    def layer(self, mark: str) -> "Carried":
        """The state of one layer, or those of a folded repeat."""
        return Carried(self.path.replace("*", mark, 1))

    def names(self) -> tuple[str, str]:
        """The input with the state before a step, and the output with that behind it."""
        return f"past_state.{self.path}", f"present_state.{self.path}"


class Held(Frozen):
    """Keys or values of a source that come into a file whole, [B, G, S, K].

    Attributes:
        whole: the name of the input.
        heads, width: G and K.
    """

    whole: str
    heads: int
    width: int


class Counts(Frozen):
    """How many positions each row of a batch has, where a mask [B, S] of integers says it.

    Attributes:
        places: the place of each row's new positions [B, T].
        last: the place of each row's last new position, int32 [B].
        total: S as an int32.
        order: the new positions of each row [B, T], the real ones first.
        end: which of them is the last real one [B, 1], -1 where none is.
        most: how many positions a row may have.
    """

    places: str
    last: str
    total: str
    order: str
    end: str
    most: int


class Kept(Frozen):
    """Keys or values that join those of earlier steps: new ones [B, T, G·K] and kept ones
    [B, G, C, K].

    Attributes:
        new: the value of the new positions, heads side by side.
        past, present: the names of the input and the output.
        heads, width: G and K.
    """

    new: str
    past: str
    present: str
    heads: int
    width: int
