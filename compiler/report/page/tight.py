"""A page in fewer bytes: what HTML lets its writers leave out, and a script without its margins."""

import re
from typing import Final

TAG: Final = re.compile(r"<[A-Za-z][^<>]*>")
BARE: Final = re.compile(r'="([^\s"\'=<>`&]+)"(/>)?')
"""Values that need no quotes (HTML, section 13.1.2.3); a slash behind one would be part of it."""
IMPLIED: Final = re.compile(
    r"</(?:td|th|tr|thead|tbody|li|option)>\s*(?=</?(?:td|th|tr|thead|tbody|table|li|ul|option|select)\b)"
)
"""Ends of elements that what follows implies (HTML, section 13.1.2.4)."""


def tight_page(html: str) -> str:
    """The same elements up to the first script; what comes behind stays as it is."""
    shown, script, rest = html.partition("<script")
    return IMPLIED.sub("", TAG.sub(_bare, shown)) + script + rest


def tight_script(script: str) -> str:
    """A script without indentation and lines of comments."""
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _bare(tag: re.Match[str]) -> str:
    return BARE.sub(lambda found: f"={found[1]}{' />' if found[2] else ''}", tag[0])
