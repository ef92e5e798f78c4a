"""An image cut into patches, each mapped to a vector; prefix tokens and positions where asked."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Flag, Pair, Part, whole
from archspec.components.norm import Norm
from archspec.source.fault import Fault
from archspec.source.number import Sized


def prefix(value: object) -> tuple[tuple[str, Sized], ...]:
    """Learned tokens before the patches, with how many of each. Raises `Fault`."""
    if not isinstance(value, list | tuple):
        raise Fault("AR0104", "must be a list", "as in `[cls]`")
    found: list[tuple[str, Sized]] = []
    for item in value:
        if isinstance(item, tuple) and len(item) == 2:
            found.append((str(item[0]), whole(item[1], 1, 1024)))
        elif isinstance(item, dict) and list(item) == ["registers"]:
            found.append(("registers", whole(item["registers"], 1, 1024)))
        elif item in ("cls", "dist"):
            found.append((str(item), Sized(1)))
        else:
            raise Fault("AR0201", "must hold `cls`, `dist` or `{registers: n}`", f"not {item!s}")
    if len({name for name, _ in found}) != len(found):
        raise Fault("AR0201", "must name each kind of token once")
    return tuple(found)


PREFIX: dict[str, Any] = {
    "type": "array",
    "items": {
        "anyOf": [
            {"enum": ["cls", "dist"]},
            {
                "type": "object",
                "properties": {"registers": {"type": ["integer", "string"]}},
                "required": ["registers"],
                "additionalProperties": False,
            },
        ]
    },
}
Prefix = Annotated[tuple[tuple[str, Sized], ...], PlainValidator(prefix), WithJsonSchema(PREFIX)]


class Patches(Component):
    """Image [B, C, h, w] to vectors [B, P, D] (Dosovitskiy et al. 2021).

    `size` and `image` are (height, width). `prefix` lists (name, count) in order: `cls`, `dist`,
    `registers`. Positions are added to the prefix too, unless `positions_cover` is
    `before_registers`: then registers are inserted after the positions were added. `image` is what
    the positions were trained on; with `resize` another image may come in, and the positions of
    its patches are interpolated.
    """

    word: ClassVar[str] = "patches"
    inherits_bias: ClassVar[bool] = True
    paper: ClassVar[str] = "Dosovitskiy et al. 2021"

    size: Pair = Field(description="a patch's side, or [h, w]", examples=[16])
    image: Pair = Field(description="the image's side, or [h, w]", examples=[224])
    channels: Count = Field(3, description="channels of the image", validate_default=True)
    dim: Count = Field(description="width of a patch's vector", examples=[768])
    bias: Flag = Field(False, description="a bias on the projection (default: `defaults.bias`)")
    prefix: Prefix = Field((), description="learned tokens before the patches", examples=[["cls"]])
    positions: Literal["learned", "sinusoid"] | None = Field(
        None, description="position vectors, one a token"
    )
    positions_cover: Literal["all", "before_registers"] = Field(
        "all", description="whether registers have positions too"
    )
    norm: Part[Norm | None] = Field(None, description="norm after positions (CLIP)")
    resize: Literal["bicubic", "bicubic_antialias"] | None = Field(
        None, description="how learned positions are interpolated for an image of another size"
    )

    @property
    def grid(self) -> tuple[int, int]:
        """Patches along height and width."""
        return self.image[0] // self.size[0], self.image[1] // self.size[1]

    def conflicts(self) -> Iterator[Conflict]:
        if self.resize is not None and self.positions != "learned":
            yield Conflict(
                "AR0108",
                "`resize` needs `positions: learned`",
                "resize",
                "nothing to interpolate",
                (("positions", "computed for every size"),),
            )
        if self.image[0] % self.size[0] or self.image[1] % self.size[1]:
            image, size = [f"{h} by {w}" if h != w else str(h) for h, w in (self.image, self.size)]
            yield Conflict(
                "AR0209",
                "`size` must divide `image`",
                "size",
                f"{size} does not divide {image}",
                (("image", f"{image} pixels"),),
            )
