"""Arithmetic over named sizes: a small grammar with bounds, computed exactly, never `eval`."""

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from archspec.source.fault import Fault
from archspec.source.suggest import did_you_mean, existing, listed

Number = int | float | Fraction
Scope = Mapping[str, int | float | None]  # None: a name whose own value was refused

MAX_LENGTH = 200
MAX_DEPTH = 30
MAX_BITS = 192
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<op>\*\*|//|[-+*/%(),]))",
    re.ASCII,
)
BINDING = {"+": 10, "-": 10, "*": 20, "/": 20, "//": 20, "%": 20, "**": 40}
UNARY = 30


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    stop: int


def evaluate(text: str, scope: Scope) -> int | float:
    """The value of `text`: an int when it is whole, else a float. Raises `Fault` (AR06xx)."""
    if len(text) > MAX_LENGTH:
        raise Fault("AR0603", "expression is too long", f"at most {MAX_LENGTH} characters")
    reader = Expression(text, tokens(text), scope)
    value = reader.binary(0, 0)
    if reader.next.kind != "end":
        raise reader.unexpected()
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return value


def names(text: str) -> frozenset[str]:
    """The names an expression mentions, functions left out; nothing if it is no expression."""
    if len(text) > MAX_LENGTH:
        return frozenset()
    try:
        found = tokens(text)
    except Fault:
        return frozenset()
    return frozenset(token.text for token in found if token.kind == "name") - FUNCTIONS.keys()


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = TOKEN.match(text, place)
        if match is None:
            start = place + len(text[place:]) - len(text[place:].lstrip())
            raise Fault(
                "AR0602",
                f"`{text}` is not an expression",
                f"unexpected {text[start]!r}",
                help="expressions have numbers, names, `+ - * / // % **`, parentheses and "
                f"{listed(FUNCTIONS, 'and')}",
                start=start,
                stop=start + 1,
            )
        kind = match.lastgroup or "op"
        found.append(Token(kind, match[kind], match.start(kind), match.end(kind)))
        place = match.end()
    found.append(Token("end", "", end, end + 1))
    return found


class Expression:
    """A precedence-climbing reader that computes while it reads."""

    def __init__(self, text: str, found: list[Token], scope: Scope) -> None:
        self.text = text
        self.tokens = found
        self.scope = scope
        self.place = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        token = self.next
        self.place += 1
        return token

    def unexpected(self) -> Fault:
        token = self.next
        what = "ends too early" if token.kind == "end" else f"unexpected `{token.text}`"
        return Fault(
            "AR0602",
            f"`{self.text}` is not an expression",
            what,
            start=token.start if token.kind != "end" else max(token.start - 1, 0),
            stop=token.stop if token.kind != "end" else token.start,
        )

    def binary(self, binding: int, depth: int) -> Number:
        left = self.unary(depth + 1)
        while (power := BINDING.get(self.next.text, -1)) > binding:
            op = self.take()
            right = self.binary(power - 1 if op.text == "**" else power, depth + 1)
            left = self.compute(op, left, right)
        return left

    def unary(self, depth: int) -> Number:
        if depth > MAX_DEPTH:
            raise Fault("AR0603", "expression is nested too deeply")
        if self.next.text in ("-", "+"):
            sign = self.take()
            value = self.binary(UNARY, depth + 1)
            return -value if sign.text == "-" else value
        return self.atom(depth)

    def atom(self, depth: int) -> Number:
        token = self.next
        if token.kind == "number":
            self.take()
            return literal(token)
        if token.kind == "name":
            self.take()
            if self.next.text == "(":
                return self.call(token, depth)
            return self.named(token)
        if token.text == "(":
            self.take()
            value = self.binary(0, depth + 1)
            self.close()
            return value
        raise self.unexpected()

    def close(self) -> None:
        if self.next.text != ")":
            raise self.unexpected()
        self.take()

    def named(self, token: Token) -> Number:
        if token.text not in self.scope:
            function = token.text in FUNCTIONS
            meant = did_you_mean(token.text, self.scope)
            raise Fault(
                "AR0601",
                f"unknown name `{token.text}`",
                f"a function: write `{token.text}(…)`" if function else meant,
                help="" if function or meant else existing(self.scope, "name"),
                start=token.start,
                stop=token.stop,
            )
        value = self.scope[token.text]
        if value is None:
            raise Fault("AR0601", "", silent=True)
        return value

    def call(self, name: Token, depth: int) -> Number:
        if name.text not in FUNCTIONS:
            raise Fault(
                "AR0606",
                f"unknown function `{name.text}`",
                did_you_mean(name.text, FUNCTIONS),
                help=f"there are {listed(FUNCTIONS, 'and')}",
                start=name.start,
                stop=name.stop,
            )
        self.take()
        given = [self.binary(0, depth + 1)]
        while self.next.text == ",":
            self.take()
            given.append(self.binary(0, depth + 1))
        self.close()
        wanted, function = FUNCTIONS[name.text]
        if wanted and len(given) != wanted:
            raise Fault(
                "AR0606",
                f"`{name.text}` takes {wanted} value{'s' if wanted > 1 else ''}",
                f"{len(given)} given",
                start=name.start,
                stop=name.stop,
            )
        return self.guarded(name, lambda: function(*given))

    def compute(self, op: Token, left: Number, right: Number) -> Number:
        return self.guarded(op, lambda: OPERATORS[op.text](left, right))

    def guarded(self, token: Token, action: Callable[[], Number]) -> Number:
        def refused(code: str, message: str, label: str = "") -> Fault:
            return Fault(code, message, label, start=token.start, stop=token.stop)

        try:
            value = action()
        except ZeroDivisionError:
            raise refused("AR0605", "division by zero") from None
        except Fault as fault:
            raise refused(fault.code, fault.message, fault.label) from None
        except (OverflowError, ValueError):
            raise refused("AR0605", f"`{token.text}` has no value here") from None
        if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
            raise refused("AR0605", f"`{token.text}` has no value here")
        if not isinstance(value, float) and too_big(value):
            raise refused("AR0603", "number is too large")
        return value


def literal(token: Token) -> Number:
    if token.text.isdigit():
        if len(token.text) > 18:
            raise Fault("AR0603", "number is too large", start=token.start, stop=token.stop)
        return int(token.text)
    value = float(token.text)
    if not math.isfinite(value):
        raise Fault("AR0603", "number is too large", start=token.start, stop=token.stop)
    return value


def too_big(value: int | Fraction) -> bool:
    whole = Fraction(value)
    return max(whole.numerator.bit_length(), whole.denominator.bit_length()) > MAX_BITS


def divide(left: Number, right: Number) -> Number:
    if isinstance(left, float) or isinstance(right, float):
        return left / right
    return Fraction(left) / Fraction(right)


def power(left: Number, right: Number) -> Number:
    if isinstance(left, float) or isinstance(right, float) or Fraction(right).denominator != 1:
        result = float(left) ** float(right)
        return result if isinstance(result, float) else math.nan
    base, exponent = Fraction(left), int(right)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) > MAX_BITS or bits * abs(exponent) > 2 * MAX_BITS:
        raise Fault("AR0603", "number is too large")
    return base**exponent


def round_up(value: Number, multiple: Number) -> Number:
    return math.ceil(divide(value, multiple)) * multiple


OPERATORS: dict[str, Callable[[Number, Number], Number]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divide,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": power,
}
FUNCTIONS: dict[str, tuple[int, Callable[..., Number]]] = {
    "sqrt": (1, math.sqrt),
    "ln": (1, math.log),
    "exp": (1, math.exp),
    "min": (0, lambda *given: min(given)),
    "max": (0, lambda *given: max(given)),
    "floor": (1, math.floor),
    "ceil": (1, math.ceil),
    "round_up": (2, round_up),
}
