"""How long each lesson is: in the tests, and in `make learn`."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.learn.sequences import Language
from tests.learn.translation import Course

REVERSE, REORDER = Language("reverse"), Language("reorder")
FEW = Language("reverse", symbols=4)
"""So few symbols that a sentence says each of them more than once."""


@dataclass(frozen=True)
class Translation:
    """Who is taught which order, how wide it is, and how long it learns."""

    kind: str
    language: Language
    width: int
    course: Course


@dataclass(frozen=True)
class Speech:
    """A GPT on a text."""

    steps: int
    width: int
    layers: int


@dataclass(frozen=True)
class Digits:
    """A ViT on handwritten digits."""

    epochs: int


Lessons = Mapping[str, Translation | Speech | Digits]


def small(kind: str, language: Language, steps: int, rate: float) -> Translation:
    """Sentences of 2 to 6 words."""
    return Translation(kind, language, 64, Course(steps, 6, rate, words=256, growing=0.33))


SMALL: Lessons = {
    "reverse/fixed": small("fixed", REVERSE, 1600, 5e-3),
    "reverse/attention": small("attention", REVERSE, 1600, 5e-3),
    "reverse/transformer": small("transformer", REVERSE, 2200, 4e-3),
    "reorder/attention": small("attention", REORDER, 2200, 5e-3),
    "reorder/transformer": small("transformer", REORDER, 2200, 4e-3),
    "speech": Speech(steps=300, width=64, layers=2),
    "digits": Digits(epochs=120),
}

FULL: Lessons = {
    "reverse/fixed": Translation("fixed", REVERSE, 96, Course(3000, 30, 4e-3, growing=0.4)),
    "reverse/attention": Translation("attention", REVERSE, 96, Course(6000, 30, 4e-3, growing=0.4)),
    "reverse/transformer": Translation(
        "transformer", REVERSE, 64, Course(10000, 30, 3e-3, growing=0.4)
    ),
    "reorder/attention": Translation(
        "attention", REORDER, 128, Course(8000, 30, 3e-3, growing=0.6)
    ),
    "reorder/transformer": Translation(
        "transformer", REORDER, 64, Course(10000, 30, 3e-3, growing=0.4)
    ),
    "few/attention": Translation("attention", FEW, 64, Course(500, 8, 8e-3, words=512)),
    "few/projected": Translation("projected", FEW, 64, Course(500, 8, 8e-3, words=512)),
    "speech": Speech(steps=600, width=96, layers=2),
    "digits": Digits(epochs=120),
}
