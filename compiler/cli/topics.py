"""What `archc explain` can explain: diagnostics, components with their keys, operators."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compiler.answer import CannotAnswer

CODE = re.compile(r"(?:AR)?(\d{4})", re.IGNORECASE)


@dataclass(frozen=True)
class Topic:
    """One explanation: what was asked about, its kind, and the text."""

    name: str
    sort: str
    text: str

    def document(self) -> dict[str, object]:
        """The explanation for a program."""
        return {"topic": self.name, "sort": self.sort, "text": self.text}


def find_topic(words: Sequence[str]) -> Topic:
    """The explanation of a code, a component, a component's key or an operator."""
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
            return _component(name)
    raise CannotAnswer("one topic at a time", "quote nothing and give one code, key or `op NAME`")


def _all_codes() -> Topic:
    from archspec.source.codes import CODES

    lines = [f"{code}  {title}" for code, title in sorted(CODES.items())]
    return Topic("codes", "codes", "\n".join(lines))


def _code(code: str) -> Topic:
    from archspec.source.codes import CODES, page

    if code not in CODES:
        raise _unknown(code, CODES)
    return Topic(code, "diagnostic", page(code))


def _operator(name: str) -> Topic:
    from compiler.cli.operators import find_operator, operator_text

    return Topic(name, "operator", operator_text(find_operator(name)))


def _component(name: str) -> Topic:
    from compiler.cli.words import word_text

    return Topic(name, "key" if "." in name else "component", word_text(name))


def _unknown(code: str, known: Iterable[str]) -> CannotAnswer:
    near = difflib.get_close_matches(code, list(known), n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`archc explain` lists the codes"
    return CannotAnswer(f"no diagnostic `{code}`", hint)
