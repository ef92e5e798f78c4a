"""Anchored name templates with captures, which match and fill in as each other's inverse."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TypeAlias

from archspec.source.frozen import Frozen

Captures: TypeAlias = Mapping[str, str]
"""What `i`, `j` and `*` stood for; indices as they were written."""

TOKEN = re.compile(r"\{[^{}]*\}|\*|[{}]|[^{}*]+")
INDEX = "0|[1-9][0-9]*"
FIELDS = {"{i}": f"(?P<i>{INDEX})", "{j}": f"(?P<j>{INDEX})"}
KINDS = ("weight", "bias")


class Template(Frozen):
    """A name in which `{i}` and `{j}` stand for indices and a final `*` for weight or bias.

    Only a rule that drops may start with `*.`, which stands for any prefix.
    """

    text: str

    @property
    def fields(self) -> frozenset[str]:
        """The captures it makes: `i`, `j`, `*`."""
        marks = {"i": "{i}" in self.text, "j": "{j}" in self.text}
        return frozenset({key for key, held in marks.items() if held} | ({"*"} & set(self._last)))

    @property
    def literal(self) -> bool:
        """Whether it is a plain name."""
        return not self.fields and not self.open_start

    @property
    def open_start(self) -> bool:
        """Whether it starts with any prefix."""
        return self.text.startswith("*.")

    @property
    def head(self) -> str:
        """Its first segment where that is a plain word, else nothing."""
        first, dot, _ = self.text.partition(".")
        return first if dot and not set(first) & set("{}*") else ""

    @property
    def _last(self) -> tuple[str, ...]:
        return (self.text.rpartition(".")[2],)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        text = self.text[2:] if self.open_start else self.text
        seen: set[str] = set()
        parts = [r"(?:.*\.)?"] if self.open_start else []
        for token in TOKEN.findall(text):
            if token in seen and token in FIELDS:
                parts.append(f"(?P={token[1]})")
            elif token == "*":
                parts.append(f"(?P<kind>{'|'.join(KINDS)})")
            else:
                parts.append(FIELDS.get(token, re.escape(token)))
            seen.add(token)
        return re.compile("".join(parts), re.DOTALL)

    def match(self, name: str) -> Captures | None:
        """What the captures stand for in `name`, or nothing if it is not of this form, whole."""
        hit = self._pattern.fullmatch(name)
        if hit is None:
            return None
        return {"*" if key == "kind" else key: said for key, said in hit.groupdict().items()}

    def fill(self, captures: Captures) -> str:
        """The name in which the captures stand for the given texts."""
        text = self.text
        for key in ("i", "j"):
            text = text.replace(f"{{{key}}}", captures.get(key, ""))
        return text[:-1] + captures["*"] if "*" in self.fields else text

    def fault(self) -> str:
        """Why this is no template, or nothing."""
        if not self.text or self.text != self.text.strip():
            return "a name is expected"
        body = self.text[2:] if self.open_start else self.text
        if "*" in body and (body.count("*") > 1 or self._last != ("*",)):
            return "`*` stands for weight or bias and is the last part of a name"
        strange = [t for t in TOKEN.findall(body) if set(t) & set("{}") and t not in FIELDS]
        if strange:
            return f"`{strange[0]}` is not a capture; `{{i}}` and `{{j}}` are"
        if re.search(r"\}[0-9]*\{", body):
            return "two captures need something between them that is no digit"
        return ""
