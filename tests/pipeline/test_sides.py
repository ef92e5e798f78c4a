"""What the sides of a comparison name."""

import json
from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.pipeline import build
from compiler.pipeline.sides import Side, side, spec_of_side
from tests.pipeline.test_revision import commit, git

LLAMA = {
    "model_type": "llama",
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 50,
    "architectures": ["LlamaForCausalLM"],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.yaml", Side("a.yaml")),
        ("a.yaml@main", Side("a.yaml", "main")),
        ("a.yaml@HEAD@{1}", Side("a.yaml", "HEAD@{1}")),
        ("a.yaml@origin/x@y", Side("a.yaml", "origin/x@y")),
        ("me@home/a.yaml@v1", Side("me@home/a.yaml", "v1")),
        ("folder@v1", Side("folder", "v1")),
        ("-", Side("-")),
    ],
)
def test_a_file_and_its_revision(name: str, expected: Side) -> None:
    assert side(name) == expected
    assert str(side(name)) == name


def test_a_file_that_is_called_so_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml@main").write_text("")
    assert side("a.yaml@main") == Side("a.yaml@main")
    assert side("a.yaml@main@v1") == Side("a.yaml@main", "v1")


@pytest.mark.parametrize("name", ["@main", "a.yaml@", "@"])
def test_an_empty_half_is_no_side(name: str) -> None:
    with pytest.raises(CannotAnswer, match="`@`"):
        side(name)


def test_a_config_and_the_folder_that_holds_it(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    for path in (file, tmp_path):
        spec = spec_of_side(Side(str(path)), ["n_layers=3"])
        assert spec.dims["n_layers"] == 3
        assert spec.dims["d_model"] == 16


def test_a_config_of_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    file = Path("config.json")
    file.write_text(json.dumps(LLAMA))
    commit(tmp_path, "first")
    file.write_text(json.dumps({**LLAMA, "num_hidden_layers": 7}))
    assert spec_of_side(Side("config.json", "HEAD")).dims["n_layers"] == 2
    assert spec_of_side(Side("config.json")).dims["n_layers"] == 7


def test_a_spec_of_a_revision_that_lacks_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "tiny.yaml").write_text("name: tiny\n")
    commit(tmp_path, "first")
    with pytest.raises(CannotAnswer, match="is not in revision `HEAD`") as caught:
        spec_of_side(Side(str(tmp_path / "tinny.yaml"), "HEAD"))
    assert "tiny.yaml@HEAD" in caught.value.help


def test_a_built_folder_is_the_spec_that_it_was_built_from(decoder: Path) -> None:
    build(str(decoder), weights="none", emit=("torch",))
    folder = Path("generated", *decoder.parts[1:-1], decoder.stem)
    assert spec_of_side(Side(str(folder))).digest == spec_of_side(Side(str(decoder))).digest
    decoder.write_text(decoder.read_text() + "# another text\n")
    with pytest.raises(CannotAnswer, match="was built from another text"):
        spec_of_side(Side(str(folder)))
    decoder.unlink()
    with pytest.raises(CannotAnswer, match="which is not there"):
        spec_of_side(Side(str(folder)))


def test_a_folder_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(CannotAnswer, match="a folder without"):
        spec_of_side(Side(str(tmp_path)))
