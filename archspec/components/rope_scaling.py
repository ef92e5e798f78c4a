"""What makes rotary positions fit sequences that are longer than those of training."""

import math
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.component import Conflict
from archspec.components.fields import Count, Flag, Positive, numeric, positive
from archspec.components.kind import Kind
from archspec.source.fault import Fault
from archspec.source.report import Report
from archspec.source.tree import Table, Tree, described

MOST = 4096


def factors(value: object) -> tuple[float, ...]:
    """A list of numbers above zero, one for each pair. Raises `Fault`."""
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MOST:
        raise Fault("AR0104", "must be a list of numbers", "one for every pair that turns")
    return tuple(positive(each) for each in value)


Factors = Annotated[
    tuple[float, ...],
    PlainValidator(factors),
    WithJsonSchema(
        {
            "type": "array",
            "items": numeric("number", exclusiveMinimum=0),
            "minItems": 1,
            "maxItems": MOST,
        }
    ),
]
FACTOR: Any = Field(description="how many times longer contexts are than in training", examples=[8])
ORIGINAL: Any = Field(description="positions of a sequence in training", examples=[8192])
ATTENTION: Any = Field(None, description="factor on sines and cosines; scores get its square")


class Scaling(Kind):
    """Written `{linear: {factor: 4}}`: one word, which says how, and its numbers."""

    @classmethod
    def definition(cls) -> str:
        return f"{cls.word}_scaling"

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        if isinstance(tree, Table) and list(tree.entries) == [cls.word]:
            return super().unfold(tree.entries[cls.word].value, report)
        label = "two at once" if isinstance(tree, Table) else f"this is {described(tree)}"
        report.error("AR0206", "`scaling` is one kind with its numbers", tree.span, label)
        return None

    @property
    def gain(self) -> float:
        """The factor on sines and cosines."""
        return 1.0


class LinearScaling(Scaling):
    """Every position is divided by `factor` (Chen et al. 2023, position interpolation)."""

    word: ClassVar[str] = "linear"
    paper: ClassVar[str] = "Chen et al. 2023"

    factor: Positive = FACTOR


class DynamicScaling(Scaling):
    """A base that grows with the longest position of a call beyond `original` ("dynamic NTK").

    A sequence that crosses `original` turns all of its positions by other angles than before, so
    keys cached before no longer fit: decode such a sequence by its whole.
    """

    word: ClassVar[str] = "dynamic"
    paper: ClassVar[str] = "bloc97 and emozilla 2023"

    factor: Positive = FACTOR
    original: Count = ORIGINAL


class Llama3Scaling(Scaling):
    """Slow pairs are divided by `factor`, fast ones are kept, a line joins them (Llama 3.1).

    How fast a pair is counts its turns within `original` positions.
    """

    word: ClassVar[str] = "llama3"
    paper: ClassVar[str] = "Grattafiori et al. 2024"

    factor: Positive = FACTOR
    original: Count = ORIGINAL
    low_freq_factor: Positive = Field(1.0, description="turns of a pair that is still divided")
    high_freq_factor: Positive = Field(4.0, description="turns from which a pair is kept")

    def conflicts(self) -> Iterator[Conflict]:
        if self.low_freq_factor > self.high_freq_factor:
            yield Conflict(
                "AR0240",
                "`low_freq_factor` must not exceed `high_freq_factor`",
                "low_freq_factor",
                f"{self.low_freq_factor:g} turns are divided",
                (("high_freq_factor", f"{self.high_freq_factor:g} turns are kept"),),
            )


class YarnScaling(Scaling):
    """Slow pairs are divided by `factor`, fast ones are kept, and attention gets a temperature.

    Peng et al. 2023, eq. 18-22. Without `attention_factor` that is 0.1·ln(factor) + 1, or with
    `mscale` and `mscale_all_dim`, DeepSeek's form, the quotient of 0.1·m·ln(factor) + 1 for each.
    """

    word: ClassVar[str] = "yarn"
    paper: ClassVar[str] = "Peng et al. 2023"

    factor: Positive = FACTOR
    original: Count = ORIGINAL
    beta_fast: Positive = Field(32.0, description="turns from which a pair is kept")
    beta_slow: Positive = Field(1.0, description="turns of a pair that is still divided")
    truncate: Flag = Field(True, description="round the ends of the line between to whole pairs")
    attention_factor: Positive | None = ATTENTION
    mscale: Positive | None = Field(None, description="weight of ln(factor) in the numerator")
    mscale_all_dim: Positive | None = Field(None, description="the same in the denominator")

    @property
    def gain(self) -> float:
        """Peng et al. 2023, eq. 22."""
        if self.attention_factor is not None:
            return self.attention_factor
        if self.mscale is None or self.mscale_all_dim is None:
            return temperature(self.factor)
        return temperature(self.factor, self.mscale) / temperature(self.factor, self.mscale_all_dim)

    def conflicts(self) -> Iterator[Conflict]:
        if self.beta_slow >= self.beta_fast:
            yield Conflict(
                "AR0240",
                "`beta_slow` must be below `beta_fast`",
                "beta_slow",
                f"{self.beta_slow:g} turns are divided",
                (("beta_fast", f"{self.beta_fast:g} turns are kept"),),
            )
        if (self.mscale is None) != (self.mscale_all_dim is None):
            one, other = "mscale", "mscale_all_dim"
            at, absent = (one, other) if self.mscale is not None else (other, one)
            yield Conflict("AR0101", f"`{at}` lacks `{absent}`", at, "one part of a quotient")
        elif self.mscale is not None and self.attention_factor is not None:
            yield Conflict(
                "AR0206",
                "`attention_factor` and `mscale` say the same thing",
                "attention_factor",
                "the factor here",
                (("mscale", "and what it is computed from here"),),
                help="keep one of them",
            )


class LongropeScaling(Scaling):
    """Every pair is divided by a factor of its own, longer sequences by others (Ding et al. 2024).

    `long_factor` is for calls with more than `original` positions. A sequence that crosses it turns
    all of its positions by other angles than before, so keys cached before no longer fit.
    Sines and cosines are multiplied by √(1 + ln(factor) / ln(original)) or by `attention_factor`.
    """

    word: ClassVar[str] = "longrope"
    paper: ClassVar[str] = "Ding et al. 2024"

    original: Count = ORIGINAL
    short_factor: Factors = Field(description="what each pair is divided by", examples=[[1, 1.5]])
    long_factor: Factors = Field(
        description="the same in more than `original` positions", examples=[[1, 24]]
    )
    factor: Positive | None = Field(
        None, description="how many times longer contexts are than in training", examples=[32]
    )
    attention_factor: Positive | None = ATTENTION

    @property
    def gain(self) -> float:
        """Ding et al. 2024, section 3.3, as released with Phi-3."""
        if self.attention_factor is not None:
            return self.attention_factor
        if self.factor is None or self.factor <= 1:
            return 1.0
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original))

    def conflicts(self) -> Iterator[Conflict]:
        if len(self.short_factor) != len(self.long_factor):
            yield Conflict(
                "AR0241",
                "`short_factor` and `long_factor` have a number for every pair",
                "long_factor",
                f"{len(self.long_factor)} here",
                (("short_factor", f"{len(self.short_factor)} here"),),
            )
        if self.original == 1 and self.factor is not None:
            yield Conflict(
                "AR0202",
                "`original` must be greater than 1",
                "original",
                "its logarithm divides",
                (("factor", "the logarithm of this"),),
            )
        if self.factor is None and self.attention_factor is None:
            yield Conflict(
                "AR0101",
                "`longrope` lacks `factor` or `attention_factor`",
                "original",
                "how much longer than this?",
            )
        if self.factor is not None and self.attention_factor is not None:
            yield Conflict(
                "AR0206",
                "`attention_factor` and `factor` say the same thing",
                "attention_factor",
                "the factor here",
                (("factor", "and what it is computed from here"),),
                help="keep one of them",
            )


class ProportionalScaling(Scaling):
    """The `fraction` of the pairs that turns is taken of all pairs of a head (Gemma 4).

    Coordinate i turns with i + head_dim/2, exponents divide by the whole head, and the pairs after
    the first ones stand still.
    """

    word: ClassVar[str] = "proportional"
    paper: ClassVar[str] = "Gemma 4"

    factor: Positive = Field(1.0, description="what the rates are divided by")


KINDS = (
    LinearScaling,
    DynamicScaling,
    Llama3Scaling,
    YarnScaling,
    LongropeScaling,
    ProportionalScaling,
)


def temperature(factor: float, weight: float = 1.0) -> float:
    """Peng et al. 2023, eq. 22, with a weight before the logarithm."""
    return 0.1 * weight * math.log(factor) + 1 if factor > 1 else 1.0
