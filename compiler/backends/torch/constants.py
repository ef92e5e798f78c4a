"""The numbers at the top of a generated file: sizes by their letters, and named settings."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from archspec.source.expression import evaluate, names
from archspec.source.fault import Fault
from compiler.backends.torch.layout import number
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, Size, as_poly, divide_exactly, letter, product, text

ROWS: Final = ("LDV", "HGKM", "XQJP")
WIDTH: Final = 100
NAME: Final = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Constants:
    """Which constants a file needs; asked for by the writers, printed once at the end."""

    key: Letters
    used: set[str] = field(default_factory=set)
    settings: dict[str, float] = field(default_factory=dict)

    def size(self, size: Size) -> str:
        """A size as Python, its letters as they are; those with a fixed size become constants."""
        poly = as_poly(size)
        self.used |= poly.letters & set(self.key.sizes)
        if not poly.letters:
            return number(int(text(poly)))
        if (quotient := _quotient(poly)) is not None:
            return " // ".join(f"({part})" if " " in part else part for part in quotient)
        shared = _common(poly)
        rest = divide_exactly(poly, shared)
        if len(poly.terms) > 1 and shared.letters and rest is not None:
            return f"({_spread(rest)}) * {_spread(shared)}"
        return _spread(poly)

    def setting(self, name: str, value: float) -> str:
        """A named number, or the number where the name already means another."""
        return name if self.settings.setdefault(name, value) == value else number(value)

    def lines(self) -> list[str]:
        """The assignments: sizes by rows, then those that derive from others, then settings."""
        derived = {name: found for name in self.key.sizes if (found := self._derived(name))}
        wanted = set(self.used)
        for name in reversed(list(derived)):
            if name in wanted:
                wanted |= set(NAME.findall(derived[name]))
        letters = [name for name in self.key.sizes if name in wanted]
        plain = [name for name in letters if name not in derived]
        rows = [[name for name in row if name in plain] for row in ROWS]
        rows.append([name for name in plain if name not in "".join(ROWS)])
        lines = [_row({name: self.key.sizes[name] for name in row}) for row in _merged(rows)]
        lines += [
            f"{name} = {derived[name]}"
            for name in _ordered({n: derived[n] for n in letters if n in derived})
        ]
        return [*lines, *self.named()]

    def named(self) -> list[str]:
        """The assignments of settings alone."""
        return list(map(_row, _families(self.settings)))

    def _derived(self, name: str) -> str:
        """What the spec said of a letter, in letters that came before; empty where that is no more
        than a number."""
        known = self.key.key[name]
        earlier = {
            other: found
            for other, found in self.key.key.items()
            if found.size is not None and other != name
        }
        if known.role == "head_dim" and not known.said and known.meaning == "head width":
            found = "D // H" if {"D", "H"} <= set(earlier) else ""
        else:
            said = self.key.dims.get(known.said, known.said)
            letters = {other: other for other in earlier} | {
                e.said: o for o, e in earlier.items() if e.said
            }
            if not names(said) or not set(NAME.findall(said)) <= set(letters):
                return ""
            found = NAME.sub(lambda match: letters[match[0]], said)
        sizes = {other: self.key.sizes[other] for other in names(found)}
        try:
            return _spaced(found) if found and evaluate(found, sizes) == known.size else ""
        except Fault:
            return ""


def _quotient(poly: Poly) -> tuple[str, ...] | None:
    """Both sides of a whole division, where that is all there is."""
    if len(poly.terms) != 1:
        return None
    ((monomial, coefficient),) = poly.terms
    ((factor, power),) = monomial if len(monomial) == 1 else (("", 0),)
    if isinstance(factor, str) or factor.function != "floor" or power != 1 or coefficient != 1:
        return None
    return tuple(_spread(argument) for argument in factor.arguments)


def _common(poly: Poly) -> Poly:
    """The letters that every term has."""
    first = dict(poly.terms[0][0])
    powers = {f: min(dict(m).get(f, 0) for m, _ in poly.terms) for f in first}
    return product(letter(f) ** p for f, p in powers.items() if isinstance(f, str) and p)


def _spread(poly: Poly) -> str:
    """A sum of products, plain terms first."""
    terms = sorted(poly.terms, key=lambda term: (term[1] != 1, str(term[0])))
    pieces = [text(Poly((term,))) for term in terms]
    joined = " + ".join(pieces).replace("+ -", "- ")
    return re.sub(r"\s*\*\s*", " * ", joined.replace("**", "^")).replace("^", "**")


def _merged(rows: list[list[str]]) -> list[list[str]]:
    """Rows without empty ones; a row of one joins the row above."""
    found: list[list[str]] = []
    for row in filter(None, rows):
        if found and len(row) == 1:
            found[-1] = found[-1] + row
        else:
            found.append(row)
    return found


def _families(settings: dict[str, float]) -> list[dict[str, float]]:
    """Settings in rows of a line: three and more that begin with the same word have their own."""
    words = Counter(name.partition("_")[0] for name in settings)
    rows: dict[str, list[dict[str, float]]] = {}
    for name, value in settings.items():
        word = name.partition("_")[0]
        row = rows.setdefault(word if words[word] > 2 else "", [{}])
        if len(_row({**row[-1], name: value})) > WIDTH:
            row.append({})
        row[-1][name] = value
    return [row for word in sorted(rows) for row in rows[word]]


def _spaced(expression: str) -> str:
    tight = expression.replace(" ", "").replace("//", "/").replace("**", "^")
    spaced = re.sub(r"([+\-*/])", r" \1 ", tight).replace("/", "//")
    return spaced.replace("^", "**")


def _ordered(derived: dict[str, str]) -> list[str]:
    """Names in an order in which each needs only those before it."""
    left, done = dict(derived), list[str]()
    while left:
        ready = [name for name, found in left.items() if not set(NAME.findall(found)) & set(left)]
        done += ready
        left = {name: found for name, found in left.items() if name not in ready} if ready else {}
    return done


def _row(values: "dict[str, int] | dict[str, float]") -> str:
    return f"{', '.join(values)} = {', '.join(map(number, values.values()))}"
