"""`archc attend`: the page, its document, and every way to ask it wrongly."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.cli.conftest import Archc, Said

BUILT = "build/decoder/tiny"
XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def built(tiny: Path, archc: Archc) -> str:
    """A small decoder in the working folder, built with drawn weights."""
    assert archc("build", str(tiny), "--no-verify").code == 0
    return BUILT


def test_weights_are_told_with_their_labels(built: str, archc: Archc) -> None:
    said = archc("attend", built, "--ids", "4,8,15", "--json")
    told = json.loads(said.out)
    assert (said.code, said.err, told["kind"], told["ok"]) == (0, "", "attend", True)
    assert [each["place"] for each in told["maps"]] == ["h.0.attn", "h.1.attn"]
    assert told["outputs_apart"] < 1e-5
    for each in told["maps"]:
        assert (each["heads"], each["queries"], each["sources"]) == (
            [0, 1],
            ["4", "8", "15"],
            ["4", "8", "15"],
        )
        assert (each["rows"], each["columns"]) == ("ids", "ids")
        weights = np.array(each["weights"])
        assert weights.shape == (2, 3, 3)
        assert np.allclose(weights.sum(axis=-1), 1, atol=1e-6)
        assert not np.triu(weights, 1).any(), "a position looks ahead"


def test_a_file_of_a_folder_stands_for_it(built: str, archc: Archc) -> None:
    asked = ("--ids", "4,8,15", "--layer", "1", "--head", "1")
    said = archc("attend", f"{built}/model.onnx", *asked)
    assert (said.code, said.out) == (0, archc("attend", built, *asked).out)


def test_a_dash_is_stdout(built: str, archc: Archc) -> None:
    asked = ("attend", built, "--ids", "4,8,15")
    for form in ((), ("--json",)):
        assert archc(*asked, *form, "--out", "-").out == archc(*asked, *form).out


def test_one_layer_and_head(built: str, archc: Archc) -> None:
    whole = json.loads(archc("attend", built, "--ids", "4,8,15", "--json").out)["maps"][1]
    for layer in ("h.1.attn", "h.1", "1"):
        asked = ("--ids", "4,8,15", "--layer", layer, "--head", "1", "--json")
        (found,) = json.loads(archc("attend", built, *asked).out)["maps"]
        assert (found["place"], found["heads"]) == ("h.1.attn", [1])
        assert found["weights"] == whole["weights"][1:]


def test_the_page_stands_alone_and_can_be_read(built: str, archc: Archc) -> None:
    assert archc("attend", built, "--ids", "4,8,15", "--out", "a.html") == Said(0, "", "")
    page = Path("a.html").read_text(encoding="utf-8")
    assert archc("attend", built, "--ids", "4,8,15").out == page
    root = ElementTree.fromstring(page)
    assert root.tag == f"{XHTML}html"
    assert len(root.findall(f".//{XHTML}figure/{SVG}svg")) == 2 * 2
    assert len(root.findall(f".//{SVG}rect/{SVG}title")) == 2 * 2 * 3 * 3
    assert not re.search(r'(src|href)="(?!data:|#)|url\(', page)
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {XHTML[1:-1], SVG[1:-1]}
    assert "<script" not in page
    assert "where the mixture went, not what the model relied on" in page


def test_tokens_are_labels_whatever_they_are_made_of(built: str, archc: Archc) -> None:
    words = {'<b>&"': 0, "a\x00b": 1, **{f"w{n}": n for n in range(2, 50)}}
    tokenizer = Tokenizer(models.WordLevel(words, "w2"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(f"{built}/tokenizer.json")
    said = archc("attend", built, "--ids", "0,1,7", "--layer", "0", "--head", "0")
    figure = ElementTree.fromstring(said.out).find(f".//{XHTML}figure")
    assert figure is not None
    texts = [each.text for each in figure.iter(f"{SVG}text")]
    assert texts == ['<b>&"', "a\\x00b", "w7"] * 2
    told = json.loads(archc("attend", built, "--text", "w7 w3", "--json").out)
    assert told["maps"][0]["queries"] == ["w7", "w3"]


def test_only_the_model_source_is_as_it_was(built: str, archc: Archc) -> None:
    """The weights' folder gains `attend.py`; what is checked in does not know of it."""
    assert (Path(built) / "attend.py").is_file()
    assert "kept" not in Path("generated/decoder/tiny/model.py").read_text()
    assert not Path("generated/decoder/tiny/attend.py").exists()
    assert archc("build", "--check", "specs").code == 0


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ([], "nothing is given for `ids`"),
        (["--ids", "1,50"], "`ids` has the id 50, and ids go from 0 to 49"),
        (["--ids", "idz=1"], "did you mean `ids`?"),
        (["--ids", "1", "--layer", "h.1.atn"], "did you mean `h.1.attn`?"),
        (["--ids", "1", "--layer", "9"], "there are `h.0.attn`, `h.1.attn`"),
        (["--ids", "1", "--head", "2"], "it has heads 0 to 1"),
        (["--ids", "1", "--head", "-1"], "`h.0.attn` has no head -1"),
        (["--ids", "1", "--head", "x"], "unable to convert `x`"),
        (["--input", "none.npz"], "there is no file `none.npz`"),
        (["--text", "w1"], "there is no tokenizer at"),
        (["--ids", "1", "--out", "no/such/page.html"], "cannot write `no/such/page.html`"),
    ],
)
def test_wrong_questions_have_no_answer(
    asked: list[str], reason: str, built: str, archc: Archc
) -> None:
    said = archc("attend", built, *asked)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
    assert reason in said.err
    told = json.loads(archc("attend", built, *asked, "--json").out)
    assert (told["kind"], told["ok"]) == ("attend", False)


def test_a_build_must_have_weights_and_attention(built: str, archc: Archc) -> None:
    (Path(built) / "attend.py").unlink()
    assert "holds no `attend.py`" in archc("attend", built, "--ids", "1").err
    (Path(built) / "model.safetensors").unlink()
    said = archc("attend", built, "--ids", "1")
    assert (said.code, "holds no `model.safetensors`" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("edited", "reason"),
    [
        (lambda text: b"", "it has no model"),
        (lambda text: b"\xff\xfe", "cannot be loaded: 'utf-8' codec"),
        (lambda text: text + b"def (", "cannot be loaded: invalid syntax"),
        (lambda text: returning(text, b"{}[3]"), "does not run: KeyError: 3"),
        (lambda text: returning(text, b"ids_BT"), "its outputs are not those of `model.onnx`"),
    ],
)
def test_a_damaged_source_is_no_bug(
    edited: Callable[[bytes], bytes], reason: str, built: str, archc: Archc
) -> None:
    source = Path(built) / "attend.py"
    source.write_bytes(edited(source.read_bytes()))
    said = archc("attend", built, "--ids", "1")
    assert (said.code, said.out) == (2, "")
    assert reason in said.err
    assert "help: build it again" in said.err


def returning(text: bytes, value: bytes) -> bytes:
    """The source of a model that returns something else."""
    return text.rpartition(b"return ")[0] + b"return " + value + b"\n"
