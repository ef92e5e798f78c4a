"""Everything that is taught, and the figures that come of it."""

import time
from dataclasses import asdict, dataclass

from torch import nn

from tests.learn import digits, speech
from tests.learn.pupils import translator
from tests.learn.sequences import Language
from tests.learn.sizes import Digits, Speech, Translation
from tests.learn.translation import Alignment, alignment, exact, exemplified, train

Figures = dict[str, object]


@dataclass(frozen=True)
class Translator:
    """A model that has learned an order, and the order."""

    model: nn.Module
    language: Language

    def shares(self, lengths: range) -> dict[int, float]:
        """Sentences of each length rendered without a fault, of 500 it never saw."""
        return {length: exact(self.model, self.language, length) for length in lengths}

    def looks(self, length: int) -> Alignment:
        """Where its attention is strongest."""
        return alignment(self.model, self.language, length)


def taught(lesson: Translation) -> Translator:
    """A translator after its course."""
    language = lesson.language
    model = translator(lesson.kind, lesson.width, language.vocab)
    train(model, language, lesson.course, f"{lesson.kind}, {language.order}")
    return Translator(model, language)


def figures(lesson: Translation | Speech | Digits) -> Figures:
    """Teach, and say what came of it and how many seconds it took."""
    began = time.process_time()
    if isinstance(lesson, Translation):
        found = translated(lesson)
    elif isinstance(lesson, Speech):
        found = spoken(lesson)
    else:
        found = {"accuracy": round(digits.learn(lesson.epochs), 4), "epochs": lesson.epochs}
    return {**found, "seed": 0, "processor_seconds": round(time.process_time() - began)}


def spoken(lesson: Speech) -> Figures:
    """Nats a letter, on what was read and on what was not."""
    said = speech.learn(lesson.steps, lesson.width, lesson.layers)
    return {
        "nats_per_letter_read": round(said.read, 3),
        "nats_per_letter_unread": round(said.unread, 3),
        "steps": lesson.steps,
        "width": lesson.width,
        "layers": lesson.layers,
    }


def translated(lesson: Translation) -> Figures:
    """Exact matches by length, and where attention with a score looks at the longest taught."""
    course = lesson.course
    pupil = taught(lesson)
    shares = pupil.shares(range(course.shortest, course.longest * 3 // 2 + 1))
    found: Figures = {
        "exact": {str(length): round(share, 3) for length, share in shares.items()},
        "longest_trained": course.longest,
        "symbols": lesson.language.symbols,
        "steps": course.steps,
        "width": lesson.width,
    }
    if lesson.kind in ("attention", "projected"):
        looks = pupil.looks(course.longest)
        off = {str(k): round(v, 4) for k, v in looks.shares.items() if v >= 0.01}
        found["argmax"] = {
            "on_source": round(looks.on, 4),
            "within_one": round(looks.near, 4),
            "by_places_off": off,
        }
        found["example"] = asdict(exemplified(pupil.model, pupil.language, min(10, course.longest)))
    return found
