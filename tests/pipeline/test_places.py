"""Outputs go below their roots, whatever a spec's path holds."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.pipeline.places import places, spec_name


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "text", "binaries", "name"),
    [
        ("specs/decoder/gpt2.yaml", "generated/decoder/gpt2", "build/decoder/gpt2", None),
        ("specs/a/b/c.yml", "generated/a/b/c", "build/a/b/c", None),
        ("specs/gpt2.yaml", "generated/gpt2", "build/gpt2", None),
        ("gpt2.yaml", "generated/gpt2", "build/gpt2", "gpt2.yaml"),
        ("drafts/gpt2.yaml", "generated/gpt2", "build/gpt2", "gpt2.yaml"),
        ("specs/../gpt2.yaml", "generated/gpt2", "build/gpt2", "gpt2.yaml"),
        ("./specs//decoder/./v1.5.yaml", "generated/decoder/v1.5", "build/decoder/v1.5",
         "specs/decoder/v1.5.yaml"),
    ],
)  # fmt: skip
def test_where_outputs_go(spec: str, text: str, binaries: str, name: str | None) -> None:
    found = places(spec)
    assert (found.text.as_posix(), found.binaries.as_posix()) == (text, binaries)
    assert spec_name(spec) == (name or spec)
    assert not found.together


def test_roots_stand_beside_the_specs_folder(working_folder: Path) -> None:
    elsewhere = working_folder.parent / "project" / "specs" / "vision" / "vit.yaml"
    assert places(elsewhere).text == working_folder.parent / "project" / "generated/vision/vit"
    assert spec_name(elsewhere) == "specs/vision/vit.yaml"


def test_the_innermost_specs_folder_counts() -> None:
    assert places("specs/archive/specs/old/x.yaml").text == Path("specs/archive/generated/old/x")


def test_out_replaces_both_roots() -> None:
    found = places("specs/decoder/gpt2.yaml", "there")
    assert found.text == found.binaries == Path("there/decoder/gpt2")
    assert found.together


HARD = st.text(st.sampled_from("ab.. \\:*\n\0\"'{}$~-_é模"), min_size=1, max_size=12)


@given(folders=st.lists(HARD.filter(lambda part: part != "specs"), max_size=3), stem=HARD)
def test_no_path_escapes_the_roots(folders: list[str], stem: str) -> None:
    spec = "/".join(["specs", *folders, stem + ".yaml"])
    for where in (places(spec, "out").text, places(spec, "out").binaries):
        assert where.parts[0] == "out"
        assert len(where.parts) >= 2
        for part in where.parts:
            assert part.strip(". ") and not set(part) & set("\\/:*\n\0\"'{}$~")
