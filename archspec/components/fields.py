"""The types of components' fields: numbers that may be expressions, words, switches, edges."""

import math
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import GetCoreSchemaHandler, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from archspec.components.written import Written
from archspec.source.expression import evaluate
from archspec.source.fault import Fault
from archspec.source.number import Sized

T = TypeVar("T")
LARGEST = 2**40
FLOAT32 = (2.0**-126, (2 - 2.0**-23) * 2.0**127)
"""What single precision holds of a magnitude with all its digits."""


def number(value: object) -> int | float:
    """The number a value stands for. Raises `Fault` (AR0104, AR06xx)."""
    if isinstance(value, Written):
        return evaluate(value, value.scope)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault("AR0104", "must be a number", f"this is {kind(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise Fault("AR0202", "must be a finite number")
    return value


def kind(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "`null`"
    return f"`{str(value).lower()}`" if isinstance(value, bool) else repr(value)


def whole(value: object, low: int, high: int = LARGEST) -> Sized:
    """A whole number in `low..high` that remembers its expression. Raises `Fault`."""
    found = number(value)
    said = str(value) if isinstance(value, Written) else None
    if isinstance(found, float) and not found.is_integer():
        code = "AR0607" if said else "AR0203"
        raise Fault(code, "must be a whole number", f"this is {found:g}")
    if not low <= found <= high:
        bound = f"at least {low}" if found < low else f"at most {high}"
        raise Fault("AR0202", f"must be {bound}", f"this is {int(found)}")
    if isinstance(value, Sized):
        return value
    return Sized(int(found), said)


def real(value: object, low: float = -math.inf, high: float = math.inf) -> float:
    """A float in `low..high`. Raises `Fault`."""
    found = single(value)
    if not low <= found <= high:
        bound = f"at least {low:g}" if found < low else f"at most {high:g}"
        raise Fault("AR0202", f"must be {bound}", f"this is {found:g}")
    return found


def single(value: object) -> float:
    """A number that generated code computes with: zero, or within float32. Raises `Fault`."""
    found, (least, most) = number(value), FLOAT32
    if found and not least <= abs(found) <= most:
        beyond = f"above {most:.2g}" if abs(found) > most else f"below {least:.2g}"
        raise Fault("AR0202", "must be a number that float32 holds", f"{beyond} in magnitude")
    return float(found)


def positive(value: object) -> float:
    found = single(value)
    if found <= 0:
        raise Fault("AR0202", "must be greater than 0", f"this is {found:g}")
    return found


def switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise Fault("AR0104", "must be `true` or `false`", f"this is {kind(value)}")


def word(value: object) -> str:
    if isinstance(value, str):
        return str(value)
    raise Fault("AR0104", "must be a name", f"this is {kind(value)}")


def either_way(value: object, low: int, high: int) -> tuple[Sized, Sized]:
    """One number for both axes, or `[height, width]`."""
    if not isinstance(value, list | tuple):
        found = whole(value, low, high)
        return found, found
    if len(value) != 2:
        raise Fault("AR0104", "must be one number or `[height, width]`")
    return whole(value[0], low, high), whole(value[1], low, high)


class Built:
    """Marks components within components, which are built and checked before what holds them: so
    their own fields need not be gone through again."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.is_instance_schema(source)


EXPRESSION = {"type": "string", "pattern": r"^[-+ (]*[0-9A-Za-z_.(][-+*/%(),. 0-9A-Za-z_]*$"}


def numeric(kind: Literal["integer", "number"], **limits: float) -> dict[str, Any]:
    """JSON Schema of a number that may be an expression over `dims`."""
    return {"anyOf": [{"type": kind, **limits}, EXPRESSION]}


def paired(low: int, high: int) -> dict[str, Any]:
    one = numeric("integer", minimum=low, maximum=high)
    pair = {"type": "array", "items": one, "minItems": 2, "maxItems": 2}
    return {"anyOf": [*one["anyOf"], pair]}


Count = Annotated[
    Sized,
    PlainValidator(lambda v: whole(v, 1, 2**31)),
    WithJsonSchema(numeric("integer", minimum=1, maximum=2**31)),
]
Natural = Annotated[
    Sized,
    PlainValidator(lambda v: whole(v, 0, 2**31)),
    WithJsonSchema(numeric("integer", minimum=0, maximum=2**31)),
]
Index = Annotated[
    Sized,
    PlainValidator(lambda v: whole(v, -(2**31), 2**31)),
    WithJsonSchema(numeric("integer")),
]
Pair = Annotated[
    tuple[Sized, Sized],
    PlainValidator(lambda v: either_way(v, 1, 2**20)),
    WithJsonSchema(paired(1, 2**20)),
]
Part: TypeAlias = Annotated[T, Built(), WithJsonSchema({})]
Real = Annotated[float, PlainValidator(real), WithJsonSchema(numeric("number"))]
Positive = Annotated[
    float, PlainValidator(positive), WithJsonSchema(numeric("number", exclusiveMinimum=0))
]
Rate = Annotated[
    float,
    PlainValidator(lambda v: real(v, 0, 1)),
    WithJsonSchema(numeric("number", minimum=0, maximum=1)),
]
Flag = Annotated[bool, PlainValidator(switch), WithJsonSchema({"type": "boolean"})]
Edge = Annotated[str, PlainValidator(word), WithJsonSchema({"type": "string"})]
Activation = Literal["gelu", "gelu_tanh", "quick_gelu", "relu", "relu2", "silu", "tanh", "sigmoid"]
