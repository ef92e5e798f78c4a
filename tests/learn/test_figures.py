"""The chapter's figures reach its bars, its picture is drawn from them, and the page tells them."""

import json
import re
from statistics import fmean
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.learn.__main__ import KINDS, alignments, picture
from tests.learn.generated import SPECS
from tests.learn.sizes import FULL, Translation
from tests.learn.speech import TEXT
from tests.learn.test_speech import entropy

RUNS = (SPECS / "learned.json").read_text(encoding="utf-8")
FOUND = json.loads(RUNS)
PAGE = (SPECS / "README.md").read_text(encoding="utf-8")
TOLD = PAGE[PAGE.index("## It learns") :]
TRANSLATED = [name for name, run in FOUND.items() if "exact" in run]
LOOKED = [name for name, run in FOUND.items() if "argmax" in run]
MASTERED = [name for name in TRANSLATED if not name.startswith("few") and "fixed" not in name]
COMPOUNDS = 1 / 10
"""Of the symbols, those that become two tokens in another order."""

SHOWN = ("2", "5", "10", "15", "20", "25", "30", "35", "40", "45")


def trained(run: dict[str, Any]) -> list[float]:
    """Exact matches at the lengths that were taught, from the shortest."""
    shares = sorted((int(n), share) for n, share in run["exact"].items())
    return [share for n, share in shares if n <= run["longest_trained"]]


def test_every_lesson_was_given_as_it_is_now() -> None:
    assert FOUND.keys() == FULL.keys()
    for name, lesson in FULL.items():
        if isinstance(lesson, Translation):
            found = FOUND[name]
            taught = (found["steps"], found["longest_trained"], found["width"], found["symbols"])
            course = lesson.course
            sizes = (course.steps, course.longest, lesson.width, lesson.language.symbols)
            assert taught == sizes, name


@pytest.mark.parametrize("name", MASTERED)
def test_attention_masters_the_lengths_it_was_taught(name: str) -> None:
    run = FOUND[name]
    assert run["longest_trained"] >= 30
    assert run["symbols"] >= 500
    assert fmean(trained(run)) > 0.99
    assert min(trained(run)) > 0.98


def test_one_context_vector_falls_with_the_length() -> None:
    shares = trained(FOUND["reverse/fixed"])
    assert shares[0] > 0.9
    assert shares[-1] < 0.1
    assert all(later <= earlier + 0.05 for earlier, later in zip(shares, shares[3:], strict=False))


def test_the_alignment_lies_on_the_source() -> None:
    """Of words, that is: a particle follows from the word before it, and nothing need be seen."""
    assert FOUND["reverse/attention"]["argmax"]["within_one"] > 0.99
    particles = COMPOUNDS / (1 + COMPOUNDS)
    for name in set(LOOKED) & set(MASTERED):
        looks = FOUND[name]["argmax"]
        assert looks["on_source"] > 0.9
        assert looks["within_one"] > 0.99 - particles * name.startswith("reorder")


def test_a_model_can_solve_its_task_with_a_shifted_alignment() -> None:
    run = FOUND["few/projected"]
    assert min(trained(run)) > 0.99
    assert run["argmax"]["on_source"] < 0.8


def test_digits_are_read() -> None:
    assert FOUND["digits"]["accuracy"] > 0.97


def test_a_text_is_learned_beyond_its_letters() -> None:
    said = FOUND["speech"]
    assert said["nats_per_letter_read"] < 1
    assert said["nats_per_letter_unread"] < entropy(TEXT) - 0.5


def test_the_pictures_are_drawn_from_the_figures() -> None:
    assert picture(RUNS) == (SPECS / "learned.svg").read_text(encoding="utf-8")
    assert alignments(RUNS) == (SPECS / "aligned.svg").read_text(encoding="utf-8")


def test_the_picture_is_svg_with_a_line_a_model() -> None:
    root = ElementTree.fromstring(picture(RUNS))
    lines = [each for each in root.iter() if each.tag.endswith("polyline")]
    points = {len(line.attrib["points"].split()) for line in lines}
    assert (len(lines), points) == (len(KINDS), {len(FOUND["reverse/fixed"]["exact"])})


@pytest.mark.parametrize("name", [name for name in TRANSLATED if not name.startswith("few")])
def test_the_page_tells_exact_matches(name: str) -> None:
    shares = (FOUND[name]["exact"][n] for n in SHOWN)
    assert " | ".join(f"{share:.1%}" for share in shares) in TOLD


@pytest.mark.parametrize("name", MASTERED)
def test_the_page_tells_the_mean_the_worst_and_the_steps(name: str) -> None:
    run = FOUND[name]
    row = f"| {fmean(trained(run)):.1%} | {min(trained(run)):.1%} | {run['steps']:,} |"
    assert row in TOLD


@pytest.mark.parametrize("name", LOOKED)
def test_the_page_tells_where_attention_looks(name: str) -> None:
    looks = FOUND[name]["argmax"]
    row = f"| {looks['on_source']:.1%} | {looks['within_one']:.1%} |"
    assert row in TOLD


def test_the_page_tells_the_rest() -> None:
    assert f"{FOUND['digits']['accuracy']:.1%}" in TOLD
    assert f"{FOUND['speech']['nats_per_letter_read']:.2f} nats" in TOLD
    assert f"{FOUND['speech']['nats_per_letter_unread']:.2f}" in TOLD
    assert f"single letters alone come to {entropy(TEXT):.2f}" in " ".join(TOLD.split())
    for name in ("learned", "aligned"):
        assert re.search(rf"!\[[^]]+\]\({name}\.svg\)", TOLD)
