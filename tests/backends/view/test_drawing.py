"""Pictures as text: whole, deterministic, and nothing of a spec's words in them is markup."""

import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from compiler.backends.view.drawing import FORMS, draw
from compiler.backends.view.framing import framed
from compiler.backends.view.mermaid import mermaid
from tests.backends.view.pictures import EVERY, program, small

ROOT = Path(__file__).parents[3]
NASTY = '"; }\n]] %% <script>alert(1)</script> & \\ `x` #quot; --> \x07{{ x }} \u2028 |a|'


def test_mermaid_of_a_small_model() -> None:
    assert draw(small(), "mermaid") == (ROOT / "tests/golden/graph/small.mmd").read_text()


@pytest.mark.parametrize("name", EVERY)
def test_mermaid_names_only_what_it_declares(name: str) -> None:
    frame = framed(program(name))
    text = mermaid(frame)
    declared = re.findall(r"^\s*(n\d+)[\[(]", text, re.MULTILINE)
    edges = re.findall(r"^  (n\d+) -\.?->(?:\|\"[^\"]*\"\|)? (n\d+)$", text, re.MULTILINE)
    assert len(set(declared)) == len(declared)
    assert {name for edge in edges for name in edge} <= set(declared)
    assert len(edges) == len(list(frame.through()))
    assert text.count("subgraph ") == text.count("end\n") == len(list(frame.frames())) - 1


@pytest.mark.parametrize("name", EVERY)
def test_dot_is_balanced_and_names_only_what_it_declares(name: str) -> None:
    text = draw(program(name), "dot")
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    assert bare.count("{") == bare.count("}")
    declared = set(re.findall(r"^\s*(n\d+) \[", bare, re.MULTILINE))
    edges = re.findall(r"^  (n\d+) -> (n\d+) \[", bare, re.MULTILINE)
    assert edges
    assert {name for edge in edges for name in edge} <= declared


@pytest.mark.parametrize("form", FORMS)
def test_words_of_a_spec_are_never_markup(form: str) -> None:
    text = draw(small(name=NASTY), form)
    assert "<script" not in text or form == "dot"  # whose quoted strings know no markup
    assert all(c.isprintable() or c == "\n" for c in text)
    if form == "svg":
        title = ET.fromstring(text)[0].text or ""
        assert title.split() == "".join(c if c.isprintable() else " " for c in NASTY).split()
    if form == "dot":
        (label,) = re.findall(r'^  label="((?:[^"\\]|\\.)*)";$', text, re.MULTILINE)
        assert "alert" in label
    if form == "mermaid":
        (title,) = re.findall(r'^title: "((?:[^"\\]|\\.)*)"$', text, re.MULTILINE)
        assert " script alert(1) /script " in title


@pytest.mark.parametrize("form", FORMS)
def test_the_same_bytes_under_other_hash_seeds(form: str) -> None:
    code = (
        "import sys; from tests.backends.view.pictures import program;"
        "from compiler.backends.view.drawing import draw;"
        f"sys.stdout.buffer.write(draw(program('decoder/gpt2'), {form!r}).encode())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1
    assert found == {draw(program("decoder/gpt2"), form).encode()}


@pytest.mark.parametrize("form", FORMS)
def test_ninety_six_layers_are_drawn_in_a_moment(form: str) -> None:
    found = program("decoder/gpt3-175b")
    start = time.process_time()
    text = draw(found, form, expand=True)
    assert time.process_time() - start < 60
    assert text.count("ScaledDotProductAttention") == 96
