"""Random damage to a spec is answered with diagnostics that render, never with an exception."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import archspec
from archspec.format import format_text
from archspec.source.diagnostic import SpecError
from archspec.source.render import render
from tests.archspec.reading import read_text

ROOT = Path(__file__).parents[2]
TEXTS = [
    path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "specs").glob("*/*.yaml"))
    if path.parent.name != "broken" and "extends:" not in path.read_text(encoding="utf-8")
]
SHARP = """
none null true 0 -1 1e9 9**9 [] {} {a: b} [a] heads layer norm_at use set cycle at in graph tok h
d_model &a *a !x ? | > # % : , { } [ ] " '
"""
WORDS = st.sampled_from(SHARP.split()) | st.text(max_size=5)
STEPS = "h layer attn mlp attention heads tok dims d_model x norm set use -1 0 in"


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A spec in which a few stretches are replaced by words."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(start + 20, len(text))))
        text = text[:start] + draw(WORDS) + text[stop:]
    return text


@given(damaged())
def test_reading(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    found = read_text(text)
    if isinstance(found, archspec.Spec):
        return
    assert found
    for diagnostic in found:
        assert diagnostic.code.startswith("AR0")
        assert diagnostic.message.isprintable()
    assert render(found).count("error[AR") == len(found)


@given(damaged())
def test_formatting(text: str) -> None:
    try:
        once = format_text(text)
    except SpecError:
        return
    assert format_text(once) == once


PATHS = st.lists(st.sampled_from(STEPS.split(" ")), min_size=1, max_size=5).map(".".join)


@given(st.sampled_from(TEXTS), PATHS, WORDS)
def test_patching(text: str, path: str, value: str) -> None:
    found = read_text(text, f"{path}={value}".encode(errors="replace").decode())
    assert isinstance(found, archspec.Spec) or render(found)


@given(st.sampled_from(TEXTS), st.data())
def test_comments_are_kept(text: str, data: st.DataObject) -> None:
    """A comment behind any line that can have one, and one above any line."""
    lines = text.splitlines()
    at = data.draw(st.integers(1, len(lines) - 1))
    lines[at] += "  # behind"
    lines.insert(at, "# above")
    commented = "\n".join(lines) + "\n"
    before = read_text(commented)
    if not isinstance(before, archspec.Spec) or "# " in before.about:
        return  # the line belongs to a folded text
    formatted = format_text(commented)
    assert (formatted.count("# behind"), formatted.count("# above")) == (1, 1)
    assert format_text(formatted) == formatted
    after = read_text(formatted)
    assert isinstance(after, archspec.Spec)
    assert (after.graph, after.dims, after.about) == (before.graph, before.dims, before.about)
