"""What every question to the compiler comes back as: an answer, or the reason there is none."""

from typing import Any, Protocol


class Answer(Protocol):
    """A result that knows how to be read by a person and by a program."""

    @property
    def ok(self) -> bool:
        """False where the answer is no: stale, over budget, disagreeing (exit code 1)."""
        ...

    def text(self) -> str:
        """The answer for a person; empty where there is nothing to say."""
        ...

    def document(self) -> dict[str, Any]:
        """The answer for a program: exact integers, units in the key names."""
        ...


class CannotAnswer(Exception):  # noqa: N818  # exit code 2, no error of the program
    """The question could not be answered (exit code 2): a missing file or package, a bad option."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.help = help
