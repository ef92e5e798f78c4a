"""Names out of foreign files, as a terminal may show them."""

import re

LONGEST = 120


def printable(name: str) -> str:
    """`name` as a terminal may show it: printable ASCII, at most `LONGEST` characters."""
    escaped = re.sub(r"[^\x20-\x7e]", lambda hit: ascii(hit[0])[1:-1], name)
    return escaped if len(escaped) <= LONGEST else escaped[: LONGEST - 3] + "..."
