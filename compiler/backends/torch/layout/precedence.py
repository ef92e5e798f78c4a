"""How tightly operators bind, and how they are written."""

import ast
from enum import IntEnum, auto


class Precedence(IntEnum):
    """Tightest first; lines break at the loosest operator."""

    NONE = auto()
    ATTRIBUTE = auto()
    POWER = auto()
    INVERT = auto()
    PRODUCT = auto()
    SUM = auto()
    SHIFT = auto()
    AND = auto()
    XOR = auto()
    OR = auto()
    COMPARE = auto()
    BOOLEAN = auto()
    CONDITIONAL = auto()


BINARY: dict[type[ast.operator], tuple[str, Precedence]] = {
    ast.Add: ("+", Precedence.SUM),
    ast.Sub: ("-", Precedence.SUM),
    ast.Mult: ("*", Precedence.PRODUCT),
    ast.MatMult: ("@", Precedence.PRODUCT),
    ast.Div: ("/", Precedence.PRODUCT),
    ast.Mod: ("%", Precedence.PRODUCT),
    ast.FloorDiv: ("//", Precedence.PRODUCT),
    ast.Pow: ("**", Precedence.POWER),
    ast.LShift: ("<<", Precedence.SHIFT),
    ast.RShift: (">>", Precedence.SHIFT),
    ast.BitOr: ("|", Precedence.OR),
    ast.BitXor: ("^", Precedence.XOR),
    ast.BitAnd: ("&", Precedence.AND),
}

COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}

UNARY: dict[type[ast.unaryop], str] = {
    ast.Invert: "~",
    ast.Not: "not ",
    ast.UAdd: "+",
    ast.USub: "-",
}
