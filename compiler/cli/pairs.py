"""Names and values on the command line, `B=1`: a list of them in one text, or one a text."""

import re
from collections.abc import Iterable

from compiler.answer import CannotAnswer


def pairs(items: Iterable[str], form: re.Pattern[str], why: str, usage: str) -> dict[str, str]:
    """The values of items by their names, which are the two groups of `form`.

    Raises CannotAnswer for an item of another form, which it says by `why`, and for a name that
    comes twice; `usage` is the help about both.
    """
    found: dict[str, str] = {}
    for item in filter(None, (each.strip() for each in items)):
        match = form.fullmatch(item)
        if match is None:
            raise CannotAnswer(f"`{item}` {why}", usage)
        name, value = match.groups()
        if name in found:
            raise CannotAnswer(f"`{name}` is given twice", usage)
        found[name] = value
    return found
