"""`archc run`: outputs, generation, words, and every way to ask it wrongly."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from compiler.cli.running import note_run
from compiler.runtime.ask import Asked
from compiler.runtime.classes import Classes
from compiler.runtime.outputs import Outputs
from compiler.runtime.placed import Placed
from compiler.runtime.vectors import Vectors
from tests.cli.conftest import Archc, Said
from tests.cli.test_documents import judged

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


def test_outputs_may_be_called_anything(tiny: Path, archc: Archc) -> None:
    """Also as numpy's `savez` calls what it takes."""
    text = tiny.read_text().replace("  logits: {", "  file: {")
    tiny.write_text(text)
    assert archc("build", str(tiny), "--no-verify").code == 0
    assert archc("run", BUILT, "--ids", "1,2", "--out", "out.npz").code == 0
    assert np.load("out.npz")["file"].shape == (1, 1, 50)


def test_a_file_of_a_folder_is_the_folder_s_model(built: str, words: Path, archc: Archc) -> None:
    asked = ("w3 w9", "--new", "4", "--stop", "49")
    assert words.parent == Path(built)
    said = archc("run", f"{built}/model.onnx", *asked)
    assert said.code == 0
    assert said.out == archc("run", built, *asked).out


def test_answers_are_what_their_schema_says(built: str, words: Path, archc: Archc) -> None:
    calls = [
        ["--ids", "1,2,3"],
        ["--ids", "1,2,3", "--out", "out.npz"],
        ["w4 w8", "--new", "3", "--top-p", "0.9"],
        ["--ids", "1,x"],
    ]
    documents = [json.loads(archc("run", built, *call, "--json", "-v").out) for call in calls]
    assert [document["ok"] for document in documents] == [True] * 3 + [False]
    about = {name: each for name, each in documents[1].items() if name != "out"}
    documents.append({**about, **Vectors("y", np.ones((1, 2)), ("w4",)).document()})
    documents.append({**about, **Classes(np.ones((2, 3)), (), 2, ()).document()})
    assert judged("run", documents) == [[]] * len(documents)
    wrong = [
        about,
        {**about, "rows": [{"classes": [{"class": 3, "chance": 1.5}]}]},
        {**documents[2], "rows": [{"new_ids": [1.5]}]},
        {**documents[4], "rows": [{"y": "1, 2"}]},
        {**documents[0], "nodes": [{"name": "a"}]},
    ]
    assert all(judged("run", wrong))


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
    (row,) = document["rows"]
    assert (row["prompt_ids"], row["ended"]) == ([4, 8], "length")
    assert (document["temperature"], document["top_k"], document["seed"]) == (1.5, 7, 3)
    assert len(row["new_ids"]) == 6
    assert set(row["new_ids"]) <= set(range(50))


def test_a_seed_is_for_what_is_drawn(built: str, archc: Archc) -> None:
    asked = ("run", built, "--ids", "4,8", "--new", "2", "--seed", "0")
    for greedy in ((), ("--temperature", "0", "--top-k", "3")):
        said = archc(*asked, *greedy)
        assert (said.code, said.out) == (2, "")
        assert "`--seed` has no say" in said.err
    assert archc(*asked, "--top-p", "0.9").code == 0


def test_words_go_in_and_come_out(built: str, words: Path, archc: Archc) -> None:
    ids = archc("run", built, "--ids", "4,8", "--new", "5").out.split()
    said = archc("run", built, "w4 w8", "--new", "5")
    assert said == Said(0, " ".join(f"w{each}" for each in ids) + "\n", "")
    told = json.loads(archc("run", built, "w4 w8", "--new", "5", "--json").out)
    (row,) = told["rows"]
    assert (row["text"], row["prompt_ids"]) == (said.out.strip(), [4, 8])
    elsewhere = words.rename("words.json")
    assert archc("run", built, "w4 w8", "--new", "5").code == 2
    again = archc("run", built, "w4 w8", "--new", "5", "--tokenizer", str(elsewhere))
    assert again == said


@pytest.mark.parametrize("new", [[], ["--new", "3"]], ids=["outputs", "generation"])
@pytest.mark.parametrize(
    ("ids", "reason"),
    [
        (np.array([[1, 2], [3, 77]]), "row 2 of `ids` has the id 77"),
        (np.array([[1, -2]]), "`ids` has the id -2"),
        (np.ones((1, 33), int), "`ids` has 33 ids and the model reads at most 32"),
        (np.ones((0, 3), int), "`ids`"),
        (np.ones((2, 0), int), "`ids`"),
        (np.array(5), "`ids` is one number"),
        (np.ones((1, 2, 2), int), "`ids`"),
        (np.ones((1, 2)), "`ids`"),
    ],
)
def test_wrong_arrays_have_no_answer(
    ids: np.ndarray, reason: str, new: list[str], built: str, archc: Archc
) -> None:
    np.savez("given.npz", ids=ids)
    said = archc("run", built, "--input", "given.npz", *new)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ") and reason in said.err
    assert "internal error" not in said.err and "onnx" not in said.err.lower()


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ([], "nothing is given for `ids`"),
        (["--ids", "1,x"], "`1,x` is not a list of ids"),
        (["--ids", "1,50"], "`ids` has the id 50, and ids go from 0 to 49"),
        (["--ids", "1,50", "--new", "3"], "`ids` has the id 50"),
        (["--ids", "1", "--provider-option", "gpu_mem_limit=1"], "is for CUDA, and the model runs"),
        (["--ids", "1", "--provider-option", "x"], "`x` is no option of a provider"),
        (["--ids", "other=1"], "no input `other`"),
        (["--input", "none.npz"], "there is no file `none.npz`"),
        (["w1"], "there is no tokenizer at"),
        ([" "], "the words are empty"),
        (["no.wav"], "there is no file `no.wav`"),
        (["--new", "3"], "nothing is given to continue in `ids`"),
        (["--ids", "1", "--new", "-3"], "`--new` must be 0 or more"),
        (["--ids", "1", "--new", "x"], "unable to convert `x`"),
        (["--ids", "1", "--stop", "3"], "nothing is generated"),
        (["--ids", "1", "--new", "3", "--start", "1"], "a decoder that reads an encoder"),
        (["--ids", "1", "--new", "3", "--temperature", "-1"], "`--temperature` must be"),
        (["--ids", "1", "--new", "3", "--top-k", "0"], "`--top-k` must be"),
        (["--ids", "1", "--new", "3", "--out", "x.npz"], "`--out` is for outputs"),
        (["--ids", "1", "--out", "x.txt"], "`--out` is a file"),
        (["--ids", "1", "--out", "x.npy"], "`x.npy` is for vectors"),
        (["--ids", "1", "--new", "3", "--stop", "7,50"], "`--stop` has the id 50, and ids go"),
        (["--ids", "1", "--new", "3", "--stop", "x"], "`x` is not a list of ids"),
        (["--ids", "1", "--new", "3", "--top-p", "0"], "`--top-p` must be"),
        (["--ids", "1", "--top", "0"], "`--top` must be 1 or more"),
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


def test_rows_go_on_beside_each_other_as_alone(built: str, words: Path, archc: Archc) -> None:
    alone = [archc("run", built, each, "--new", "4").out for each in ("w4 w8 w9", "w5")]
    said = archc("run", built, "-", "--new", "4", stdin="w4 w8 w9\n\nw5\n")
    assert said == Said(0, "".join(alone), "")


def test_words_alone_are_continued_to_the_longest_sequence(
    built: str, words: Path, archc: Archc
) -> None:
    """A context of 32: the last id is never read."""
    assert len(archc("run", built, "w4 w8").out.split()) == 31
    said = archc("run", built, "w4 w8", "--new", "32")
    assert (said.code, said.out) == (2, "")
    assert "has 2 ids, and with 32 new ones these are more than the 32 that" in said.err
    assert said.err.endswith("help: ask for at most 31 by `--new`\n")
    said = archc("run", built, " ".join(["w4"] * 33))
    assert (said.code, said.out) == (2, "")
    assert "has 33 ids and the model reads at most 32" in said.err


def test_a_share_of_the_chances_is_drawn_from(built: str, archc: Archc) -> None:
    told = json.loads(archc("run", built, "--ids", "4", "--new", "6", "--top-p", "1", "--json").out)
    assert (told["temperature"], told["top_p"]) == (1.0, 1.0)
    greedy = archc("run", built, "--ids", "4", "--new", "6").out
    assert archc("run", built, "--ids", "4", "--new", "6", "--top-p", "1e-9").out == greedy
    assert archc("run", built, "--ids", "4", "--new", "6", "--top-p", "1").out != greedy


def test_published_ids_end_a_row_unless_others_are_given(built: str, archc: Archc) -> None:
    ids = archc("run", built, "--ids", "4", "--new", "6", "--top-p", "1").out.split()
    asked = ("run", built, "--ids", "4", "--new", "6", "--top-p", "1")
    (Path(built) / "generation_config.json").write_text(f'{{"eos_token_id": [77, {ids[3]}]}}')
    assert archc(*asked).out.split() == ids[: ids.index(ids[3])]
    other = next(str(each) for each in range(50) if str(each) not in ids)
    assert archc(*asked, "--stop", other).out.split() == ids


def test_pace_and_providers_are_said_when_asked(built: str, archc: Archc) -> None:
    said = archc("run", built, "--ids", "4", "--new", "6", "-v")
    pace, nodes = said.err.splitlines()
    assert re.fullmatch(r"6 new ids, the first after [\d.]+ s, [\d.]+ ids a second after it", pace)
    assert re.fullmatch(r"nodes: \d+ on CPUExecutionProvider", nodes)
    told = json.loads(archc("run", built, "--ids", "4", "--json", "-v").out)["nodes"]
    assert {each["provider"] for each in told} == {"CPUExecutionProvider"}
    assert {"MatMul", "Softmax"} & {each["operator"] for each in told}
    assert "nodes" not in json.loads(archc("run", built, "--ids", "4", "--json").out)


def test_what_the_main_provider_does_not_run_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kinds = {"CUDA": ("MatMul", "Add", "MatMul"), "CPU": ("Shape", "Gather")}
    nodes = tuple(Placed("", kind, at) for at, found in kinds.items() for kind in found)
    note_run(Asked(Outputs({}), nodes))
    assert capsys.readouterr().err == "nodes: 3 on CUDA, 2 on CPU (Gather, Shape)\n"
