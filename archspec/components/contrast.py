"""How alike the vectors of two towers are, pair by pair."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.component import Component
from archspec.components.fields import Flag, numeric, positive
from archspec.source.fault import Fault


def temperature(value: object) -> float | Literal["learned"]:
    """A number, or that it is learned. Raises `Fault`."""
    if value == "learned":
        return "learned"
    if isinstance(value, str) and value.isalpha():
        raise Fault(
            "AR0201", f"`temperature` cannot be `{value}`", help="use `learned` or a number"
        )
    return positive(value)


Temperature = Annotated[
    float | Literal["learned"],
    PlainValidator(temperature),
    WithJsonSchema(
        {"anyOf": [{"const": "learned"}, *numeric("number", exclusiveMinimum=0)["anyOf"]]}
    ),
]


class Contrast(Component):
    """[B, D] and [B, D] to [B, B]: cosines of all pairs by a temperature (Radford et al. 2021,
    figure 3), the first of `in: [a, b]` down the rows; a `bias` is SigLIP's (Zhai et al. 2023).

    What is learned is the logarithm of 1 / temperature.
    """

    word: ClassVar[str] = "contrast"
    paper: ClassVar[str] = "Radford et al. 2021; Zhai et al. 2023"

    temperature: Temperature = Field(
        "learned", description="what cosines are divided by: `learned` or a number", examples=[0.07]
    )
    bias: Flag = Field(False, description="a learned number added to all logits; not inherited")
