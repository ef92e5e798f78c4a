"""Reading a `tokenizer.json`, with what is missing said in a sentence."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.answer import CannotAnswer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER: Final = "tokenizer.json"


def open_tokenizer(path: Path) -> "Tokenizer":
    """The tokenizer of a file; raises `CannotAnswer` where it or its package cannot be had."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise CannotAnswer(
            "words need the package `tokenizers`, which is not installed",
            "`pip install tokenizers`, or give ids by `--ids`",
        ) from error
    if not path.is_file():
        raise CannotAnswer(
            f"there is no tokenizer at `{path}`", "give ids by `--ids`, or name a tokenizer.json"
        )
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:
        raise CannotAnswer(f"`{path}` is no tokenizer: {error}") from error


def ids_of(tokenizer: "Tokenizer", words: Sequence[str]) -> list[list[int]]:
    """The ids of each of some texts; raises `CannotAnswer` where one has none."""
    found = [_encoded(tokenizer, each) for each in words]
    if not all(found):
        raise CannotAnswer("the tokenizer finds no ids in the words")
    return found


def _encoded(tokenizer: "Tokenizer", words: str) -> list[int]:
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise CannotAnswer("the words are no UTF-8 text") from error
    try:
        ids: list[int] = tokenizer.encode(words).ids
    except Exception as error:  # of what its file lacks, such as a word for unknown ones
        raise CannotAnswer(f"the tokenizer cannot read the words: {error}") from error
    return ids
