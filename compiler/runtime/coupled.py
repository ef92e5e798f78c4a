"""An encoder's and a decoder's sessions as one."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.runtime.buffers import Buffers
from compiler.runtime.kept import Encoded
from compiler.runtime.placed import Placed
from compiler.runtime.session import KEPT, Session

if TYPE_CHECKING:
    from compiler.runtime.kept import Past, Value


class Coupled(Session):
    """An encoder and a decoder as one model: a sequence begins by encoding its source, which also
    gives the states that a recurrence starts from."""

    def __init__(self, encoder: Session, decoder: Session) -> None:
        self._encoder, self._decoder = encoder, decoder
        self.device, self.logits, self.shares = decoder.device, decoder.logits, decoder.shares
        self.past, self.present = decoder.past, decoder.present
        made = encoder.outputs
        names = {name: name.replace(*KEPT) for name in decoder.inputs}
        self._crossing = {name: found for name, found in names.items() if found in made}
        self._own = tuple(name for name in decoder.inputs if name not in self._crossing)
        self._starts = tuple(name for name in decoder.present if name in made)
        self.source = frozenset(encoder.inputs)
        self.inputs = {**encoder.inputs, **{name: decoder.inputs[name] for name in self._own}}
        self.kinds = {**encoder.kinds, **decoder.kinds}
        self.zeros = tuple(dict.fromkeys((*encoder.zeros, *decoder.zeros)))
        every = {**encoder.outputs, **decoder.outputs}
        self.outputs = {name: every[name] for name in decoder.gives or decoder.outputs}
        handed = {*self._crossing.values(), *self._starts}
        encoder.stays = frozenset(handed - self.outputs.keys())

    def buffers(self, batch: int, length: int) -> Buffers:
        """Room for all that the decoder keeps."""
        return self._decoder.buffers(batch, length)

    def nodes(self) -> tuple[Placed, ...]:
        """The encoder's and the decoder's."""
        return (*self._encoder.nodes(), *self._decoder.nodes())

    def end_profiles(self) -> tuple[Path, ...]:
        """The encoder's and the decoder's."""
        return (*self._encoder.end_profiles(), *self._decoder.end_profiles())

    def _step(
        self, given: "Mapping[str, Value]", lengths: Mapping[str | int, int], past: "Past | None"
    ) -> "tuple[dict[str, Value], Past]":
        begun = past if isinstance(past, Encoded) else Encoded(None, past)
        made = begun.given
        if made is None:
            made = self._encoder.run({name: given[name] for name in self._encoder.inputs})
        known = {name: given[name] for name in self._own}
        known |= {name: made[found] for name, found in self._crossing.items()}
        before = begun.kept
        if before is None and self._starts:
            before = tuple(made[name] for name in self._starts)
        outputs, kept = self._decoder._step(known, lengths, before)
        assert not isinstance(kept, Encoded)
        every = {**made, **outputs}
        return {name: every[name] for name in self.outputs}, Encoded(made, kept)
