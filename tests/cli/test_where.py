"""From a generated line to the spec's line, by the manifest or by the marks in the file."""

from pathlib import Path

import pytest

from tests.cli.conftest import Archc

BUILT = "generated/decoder/tiny/model.py"


@pytest.fixture
def lines(tiny: Path, archc: Archc) -> list[str]:
    """The lines of a real build's module."""
    assert archc("build", str(tiny), "--emit", "torch").code == 0
    return Path(BUILT).read_text().splitlines()


def line_of(text: str, lines: list[str]) -> int:
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_class_comes_from_its_sublayer(lines: list[str], tiny: Path, archc: Archc) -> None:
    inside = line_of("scaled_dot_product_attention", lines)
    said = archc("where", f"{BUILT}:{inside}")
    assert (said.code, said.err) == (0, "")
    spec_line = line_of("attn: {attention", tiny.read_text().splitlines())
    text = "attn: {attention: {heads: n_heads, mask: causal}}"
    assert said.out == f"{tiny}:{spec_line}: {text}\n"


def test_a_copied_file_is_traced_by_its_marks(lines: list[str], tiny: Path, archc: Archc) -> None:
    Path("copy.py").write_text("\n".join(lines))
    inside = line_of("scaled_dot_product_attention", lines)
    assert archc("where", f"copy.py:{inside}") == archc("where", f"{BUILT}:{inside}")


def test_a_mark_may_name_the_file_that_a_spec_extends(tmp_path: Path, archc: Archc) -> None:
    path = tmp_path / "model.py"
    path.write_text("    spec     specs/a/x.yaml  sha256:0\nclass A:  # spec:base.yaml:7 h\n")
    assert archc("where", f"{path}:2").out == "specs/a/base.yaml:7\n"


def test_a_spec_that_is_gone_is_named_still(lines: list[str], tiny: Path, archc: Archc) -> None:
    tiny.unlink()
    said = archc("where", f"{BUILT}:{line_of('scaled_dot_product_attention', lines)}")
    assert said.out.startswith(f"{tiny}:")
    assert said.out.count(":") == 1


@pytest.mark.parametrize(
    "place", ["model.py", "nowhere.py:1", "copy.py:1", "copy.py:9999", "copy.py:0", "specs:1"]
)
def test_a_place_that_says_nothing_is_no_answer(place: str, lines: list[str], archc: Archc) -> None:
    Path("copy.py").write_text("\n".join(lines))
    said = archc("where", place)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
