"""A reader's own words in our sentences: printable, in one line, not too long."""

import re

LONG = re.compile(r"`([^`]{61,})`")


def shown(text: str) -> str:
    """The sentence with what cannot be printed escaped and words in backticks cut to 60."""
    escaped = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return LONG.sub(lambda match: f"`{match[1][:57]}...`", escaped)
