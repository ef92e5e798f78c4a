"""How long each lesson is: in the tests, and in `make learn`."""

from dataclasses import dataclass

from tests.learn.translation import Course

KINDS = ("fixed", "attention", "transformer")


@dataclass(frozen=True)
class Lessons:
    """Courses by translator, who is taught which order, and how long the other two learn."""

    courses: dict[str, Course]
    taught: tuple[tuple[str, str], ...]
    width: int
    speech_steps: int
    speech_width: int
    speech_layers: int
    digit_epochs: int


SMALL = Lessons(
    courses={
        "fixed": Course(steps=1600, longest=6, rate=5e-3, rows=64),
        "attention": Course(steps=1600, longest=6, rate=5e-3, rows=64),
        "transformer": Course(steps=2200, longest=6, rate=4e-3, rows=64),
    },
    taught=(*((kind, "reverse") for kind in KINDS), ("transformer", "reorder")),
    width=64,
    speech_steps=300,
    speech_width=64,
    speech_layers=2,
    digit_epochs=120,
)

FULL = Lessons(
    courses={
        "fixed": Course(steps=8000, longest=30, rate=2e-3),
        "attention": Course(steps=8000, longest=30, rate=2e-3),
        "transformer": Course(steps=12000, longest=30, rate=1e-3),
    },
    taught=tuple((kind, order) for order in ("reverse", "reorder") for kind in KINDS),
    width=128,
    speech_steps=2000,
    speech_width=128,
    speech_layers=4,
    digit_epochs=240,
)
