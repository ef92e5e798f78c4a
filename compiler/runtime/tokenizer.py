"""Reading a `tokenizer.json`, with what is missing said in a sentence."""

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
        raise CannotAnswer("`tokenizers` is missing; install archspec-compiler[text]") from error
    if not path.is_file():
        raise CannotAnswer(
            f"there is no tokenizer at `{path}`", "give ids by `--ids`, or name a tokenizer.json"
        )
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:
        raise CannotAnswer(f"`{path}` is no tokenizer: {error}") from error
