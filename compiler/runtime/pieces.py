"""Words as their ids come, one at a time."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Pieces:
    """Tells the text of each id as soon as it is whole: a letter may take several ids."""

    def __init__(self, tokenizer: "Tokenizer | None", tell: Callable[[str], None]) -> None:
        """Without a tokenizer the ids themselves are told, a space between them."""
        self._tokenizer, self._tell = tokenizer, tell
        self._told, self._lost = "", False
        self._ids: list[int] = []
        if tokenizer is not None:
            from tokenizers.decoders import DecodeStream

            self._stream = DecodeStream(skip_special_tokens=True)

    def __call__(self, chosen: int) -> None:
        """The next id."""
        self._ids.append(chosen)
        if self._tokenizer is None:
            self._add(f" {chosen}" if self._told else str(chosen))
        else:
            self._add(self._step(self._tokenizer, chosen))

    def _step(self, tokenizer: "Tokenizer", chosen: int) -> str:
        try:
            return self._stream.step(tokenizer, chosen) or ""
        except Exception:  # of a decoder whose earlier words change with a later id
            self._lost = True
            return ""

    def end(self) -> None:
        """What is left, as a letter that never became whole; all anew where words have changed."""
        if self._tokenizer is not None:
            whole = self._tokenizer.decode(self._ids)
            anew = f"\n{whole}" if self._lost else ""
            self._add(whole.removeprefix(self._told) if whole.startswith(self._told) else anew)

    def _add(self, piece: str) -> None:
        self._told += piece
        if piece:
            self._tell(piece)
