"""Everything that is taught, and the figures that come of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import nn

from tests.learn import digits, speech
from tests.learn.pupils import translator
from tests.learn.sequences import ORDERS
from tests.learn.sizes import Lessons
from tests.learn.translation import Alignment, alignment, exact, train


@dataclass(frozen=True)
class Translator:
    """A model that has learned an order, and the order."""

    model: nn.Module
    order: str

    def shares(self, lengths: range) -> Mapping[int, float]:
        """Sentences of each length rendered without a fault, of 500 it never saw."""
        return {length: exact(self.model, ORDERS[self.order], length) for length in lengths}

    def looks(self, length: int) -> Alignment:
        """Where its attention is strongest."""
        return alignment(self.model, ORDERS[self.order], length)


def taught(kind: str, order: str, lessons: Lessons) -> Translator:
    """One translator after its course."""
    model = translator(kind, lessons.width)
    train(model, ORDERS[order], lessons.courses[kind], f"{kind}, {order}")
    return Translator(model, order)


def figures(lessons: Lessons) -> dict[str, object]:
    """All lessons in a row; what `specs/history/learned.json` holds."""
    found: dict[str, dict[str, object]] = {}
    for kind, order in lessons.taught:
        found.setdefault(order, {})[kind] = translated(kind, order, lessons)
    return {**found, "speech": spoken(lessons), "digits": classified(lessons)}


def spoken(lessons: Lessons) -> dict[str, object]:
    said = speech.learn(lessons.speech_steps, lessons.speech_width, lessons.speech_layers)
    return {
        "nats_per_letter_read": round(said.read, 3),
        "nats_per_letter_unread": round(said.unread, 3),
        "steps": lessons.speech_steps,
    }


def classified(lessons: Lessons) -> dict[str, object]:
    accuracy = digits.learn(lessons.digit_epochs)
    return {"accuracy": round(accuracy, 4), "epochs": lessons.digit_epochs}


def translated(kind: str, order: str, lessons: Lessons) -> dict[str, object]:
    course = lessons.courses[kind]
    pupil = taught(kind, order, lessons)
    shares = pupil.shares(lengths(course.longest))
    told: dict[str, object] = {
        "exact": {str(length): round(share, 3) for length, share in shares.items()},
        "longest_trained": course.longest,
        "seed": course.seed,
        "steps": course.steps,
    }
    if kind == "attention":
        looks = pupil.looks(course.longest)
        told["argmax"] = {"on_source": round(looks.on, 4), "within_one": round(looks.near, 4)}
    return told


def lengths(longest: int) -> range:
    """A dozen lengths at most, up to half again the longest that was taught."""
    return range(2, longest * 3 // 2 + 1, max(1, longest // 8))
