"""A spec's own words inside Markdown: shown as they are, never as markup."""

import re
from typing import Final

MARKS: Final = re.compile(r"([\\`*_\[\]<>#|~&$])")


def inline(words: str) -> str:
    """Text without any markup in it, for the middle of a line."""
    flat = "".join(c if c.isprintable() else " " for c in words)
    return MARKS.sub(r"\\\1", " ".join(flat.split()))
