"""What `archc explain` can explain: diagnostics, words, operators and what reports count."""

import re
import textwrap
from collections.abc import Iterable, Sequence

from archspec.source.frozen import Frozen
from archspec.source.suggest import did_you_mean
from compiler.answer import CannotAnswer

CODE = re.compile(r"(?:AR)?(\d{4})", re.IGNORECASE)


class Topic(Frozen):
    """One explanation: what was asked about, its kind, and the text."""

    name: str
    sort: str
    text: str

    def document(self) -> dict[str, object]:
        """The explanation for a program."""
        return {"topic": self.name, "sort": self.sort, "text": self.text}


def find_topic(words: Sequence[str]) -> Topic:
    """The explanation of a code, a word of the language, an operator, a total of cost reports or a
    word of `--parallel`. Raises CannotAnswer."""
    match words:
        case []:
            return _all_codes()
        case ["op"]:
            raise CannotAnswer("`op` wants the name of an operator", "`archc ops` lists them")
        case ["op", name]:
            return _operator(name)
        case [name] if found := CODE.fullmatch(name):
            return _code(f"AR{found[1]}")
        case [name]:
            return _word(name)
    raise CannotAnswer("one topic at a time", "quote nothing and give one code, key or `op NAME`")


def _all_codes() -> Topic:
    from archspec.source.codes import CODES
    from compiler.cli.words import known_words

    lines = [f"{code}  {title}" for code, title in sorted(CODES.items())]
    words = textwrap.wrap(", ".join(known_words()), 88, initial_indent="words: ")
    return Topic("codes", "codes", "\n".join([*lines, "", *words]))


def _code(code: str) -> Topic:
    from archspec.source.codes import CODES, page

    if code not in CODES:
        raise _unknown(code, CODES)
    return Topic(code, "diagnostic", page(code))


def _operator(name: str) -> Topic:
    from compiler.cli.operators import find_operator, operator_text

    return Topic(name, "operator", operator_text(find_operator(name)))


def _word(name: str) -> Topic:
    from compiler.cli.counted import counted_text
    from compiler.cli.words import word_text

    try:
        return Topic(name, "word", word_text(name))
    except CannotAnswer:
        if (found := counted_text(name)) is None:
            raise
        return Topic(name, "figure", found)


def _unknown(code: str, known: Iterable[str]) -> CannotAnswer:
    hint = did_you_mean(code, known) or "`archc explain` lists the codes"
    return CannotAnswer(f"no diagnostic `{code}`", hint)
