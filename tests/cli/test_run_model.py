"""`archc run`: outputs, generation, words, and every way to ask it wrongly."""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.cli.conftest import Archc, Said

BUILT = "build/decoder/tiny"


@pytest.fixture
def built(tiny: Path, archc: Archc) -> str:
    """A small decoder in the working folder, built with drawn weights."""
    assert archc("build", str(tiny), "--no-verify").code == 0
    return BUILT


@pytest.fixture
def words(built: str) -> Path:
    """A tokenizer beside the model whose word `w7` is the id 7."""
    tokenizer = Tokenizer(models.WordLevel({f"w{n}": n for n in range(50)}, "w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    path = Path(built) / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def outputs(said: Said) -> dict[str, list[list[list[float]]]]:
    document = json.loads(said.out)
    assert (said.code, said.err, document["ok"]) == (0, "", True)
    return {name: found["values"] for name, found in document["outputs"].items()}


def test_outputs_are_printed_written_and_told(built: str, archc: Archc) -> None:
    (logits,) = outputs(archc("run", built, "--ids", "1,2,3", "--json")).values()
    assert np.shape(logits) == (1, 1, 50)
    text = archc("run", built, "--ids", "1,2,3").out
    assert text.startswith("logits [1, 1, 50] float32\n")
    assert f"{logits[0][0][1]:.4e}" in text
    assert archc("run", built, "--ids", "1,2,3", "--out", "out.npz") == Said(0, "", "")
    with np.load("out.npz") as file:
        assert np.array_equal(file["logits"], np.array(logits, "f4"))
    told = json.loads(archc("run", built, "--ids", "1,2,3", "--out", "out.npz", "--json").out)
    assert (told["out"], "outputs" in told) == ("out.npz", False)


def test_arrays_are_what_ids_are(built: str, archc: Archc) -> None:
    np.savez("given.npz", ids=np.array([[1, 2, 3]]))
    by_file = archc("run", built, "--input", "given.npz", "--json")
    assert outputs(by_file) == outputs(archc("run", built, "--ids", "ids=1,2,3", "--json"))


def test_greedy_ids_are_the_likeliest_of_each_run(built: str, archc: Archc) -> None:
    said = archc("run", built, "--ids", "4,8", "--new", "5")
    ids = [4, 8]
    for _ in range(5):
        listed = ",".join(map(str, ids))
        logits = outputs(archc("run", built, "--ids", listed, "--json"))["logits"]
        ids.append(int(np.argmax(logits[0][-1])))
    assert said == Said(0, " ".join(map(str, ids[2:])) + "\n", "")


def test_drawn_ids_are_told_with_how_they_were_drawn(built: str, archc: Archc) -> None:
    how = ("--temperature", "1.5", "--top-k", "7", "--seed", "3", "--json")
    said = archc("run", built, "--ids", "4,8", "--new", "6", *how)
    document = json.loads(said.out)
    assert said == archc("run", built, "--ids", "4,8", "--new", "6", *how)
    assert (document["prompt_ids"], document["ended"]) == ([4, 8], "length")
    assert (document["temperature"], document["top_k"], document["seed"]) == (1.5, 7, 3)
    assert len(document["new_ids"]) == 6
    assert set(document["new_ids"]) <= set(range(50))


def test_words_go_in_and_come_out(built: str, words: Path, archc: Archc) -> None:
    ids = archc("run", built, "--ids", "4,8", "--new", "5").out.split()
    said = archc("run", built, "--text", "w4 w8", "--new", "5")
    assert said == Said(0, " ".join(f"w{each}" for each in ids) + "\n", "")
    told = json.loads(archc("run", built, "--text", "w4 w8", "--new", "5", "--json").out)
    assert (told["text"], told["prompt_ids"]) == (said.out.strip(), [4, 8])
    elsewhere = words.rename("words.json")
    assert archc("run", built, "--text", "w4 w8", "--new", "5").code == 2
    again = archc("run", built, "--text", "w4 w8", "--new", "5", "--tokenizer", str(elsewhere))
    assert again == said


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ([], "nothing is given for `ids`"),
        (["--ids", "1,x"], "`1,x` is not a list of ids"),
        (["--ids", "1,50"], "cannot be run on `ids` [1, 2]"),
        (["--ids", "other=1"], "no input `other`"),
        (["--input", "none.npz"], "there is no file `none.npz`"),
        (["--text", "w1"], "there is no tokenizer at"),
        (["--text", " "], "`--text` is empty"),
        (["--new", "3"], "nothing is given to continue in `ids`"),
        (["--ids", "1", "--new", "-3"], "`--new` must be 0 or more"),
        (["--ids", "1", "--new", "x"], "unable to convert `x`"),
        (["--ids", "1", "--stop", "3"], "nothing is generated"),
        (["--ids", "1", "--new", "3", "--start", "1"], "a decoder that reads an encoder"),
        (["--ids", "1", "--new", "3", "--temperature", "-1"], "`--temperature` must be"),
        (["--ids", "1", "--new", "3", "--top-k", "0"], "`--top-k` must be"),
        (["--ids", "1", "--new", "3", "--out", "x.npz"], "`--out` is for outputs"),
        (["--ids", "1", "--out", "no/such/folder.npz"], "cannot write `no/such/folder.npz`"),
    ],
)
def test_wrong_questions_have_no_answer(
    asked: list[str], reason: str, built: str, archc: Archc
) -> None:
    said = archc("run", built, *asked)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
    assert reason in said.err
    told = json.loads(archc("run", built, *asked, "--json").out)
    assert (told["kind"], told["ok"]) == ("run", False)
    assert reason in told["error"]


def test_a_spec_is_not_a_build(tiny: Path, archc: Archc) -> None:
    said = archc("run", str(tiny), "--ids", "1")
    assert (said.code, said.out) == (2, "")
    assert "archc build" in said.err
