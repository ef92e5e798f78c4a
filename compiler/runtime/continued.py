"""Sequences on their way through a model that continues them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiler.answer import CannotAnswer
from compiler.runtime.given import step_given
from compiler.runtime.roles import Growing, neutral, owner
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from compiler.runtime.kept import Array, Past


@dataclass
class Continued:
    """Rows that grow: a decoder with a cache reads what is new, any other model all.

    Attributes:
        given: what the model is given beside the rows, as long as their beginnings.
        batch: how many rows there are.
        room: how many ids each grows to; a cache that may lie in buffers is made that long.
        length: how many ids have been read into the cache.
    """

    session: Session
    grows: Growing
    given: "Mapping[str, Array]"
    batch: int = 1
    room: int | None = None
    length: int = 0
    _past: "Past | None" = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Raises `CannotAnswer` where there is no memory for as many ids."""
        if self.room is None or not self.session.shares:
            return
        try:
            self._past = self.session.buffers(self.batch, self.room)
        except MemoryError as error:
            raise CannotAnswer(
                f"there is no memory for a cache of {self.room} ids", "ask for fewer by `--new`"
            ) from error

    def logits(self, ids: "Array") -> "Array":
        """The logits [B, V] after `ids` [B, T], which begin with those that were read before.

        Raises `CannotAnswer` where the model cannot be run on them.
        """
        now = {**self._beside(ids.shape[1]), self.grows.ids: ids[:, self.length :]}
        outputs, past = step_given(self.session, now, self._past)
        if self.session.past:
            self._past, self.length = past, ids.shape[1]
        found: Array = outputs[self.grows.logits][:, -1]
        return found

    def _beside(self, length: int) -> "dict[str, Array]":
        """What is given beside, where it covers all positions seen as long as those: a mask goes
        on as it ends, and so does a document."""
        import numpy as np

        found = dict(self.given)
        new = self.session.inputs[self.grows.ids][1]
        for name, shape in self.session.inputs.items():
            if owner(self.session, name) != self.grows.ids or shape[1] == new:
                continue
            kind = self.session.kinds[name]
            begun = found.get(name, np.full((self.batch, 1), neutral(name), kind))
            more = np.repeat(begun[:, -1:], max(0, length - begun.shape[1]), axis=1)
            found[name] = np.concatenate((begun, more), axis=1).astype(kind)
        return found
