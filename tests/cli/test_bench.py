"""`archc bench`: a small decoder against itself, and every way to ask wrongly."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc
from tests.cli.test_documents import judged

BUILT = "build/decoder/tiny"


@pytest.fixture
def built(tiny: Path, archc: Archc) -> str:
    """A small decoder in the working folder, built with drawn weights."""
    assert archc("build", str(tiny), "--no-verify").code == 0
    return BUILT


def test_a_decoder_beside_another_folder(built: str, archc: Archc) -> None:
    call = ("--at", "B=1,2", "--at", "T=4", "--steps", "2", "--threads", "1")
    said = archc(
        "bench", built, *call, "--compare", f"{BUILT}/model.onnx", "--plot", "times.svg", "--json"
    )
    assert (said.code, said.err) == (0, "")
    document = json.loads(said.out)
    assert judged("bench", [document]) == [[]]
    points = document["points"]
    assert Path("times.svg").read_text().startswith("<svg ")
    assert [("times_the_first" in point["decode"]) for point in points] == [False, True] * 2
    assert [(point["build"], point["batch"], point["length"]) for point in points] == [
        (BUILT, 1, 4),
        (f"{BUILT}/model.onnx", 1, 4),
        (BUILT, 2, 4),
        (f"{BUILT}/model.onnx", 2, 4),
    ]
    assert {node["provider"] for node in points[0]["nodes"]} <= {
        "CPUExecutionProvider",
        "CUDAExecutionProvider",
    }
    wrong = [
        {**document, "points": []},
        {**document, "points": [{**points[0], "forward": points[0]["decode"]}]},
        {**document, "points": [{**points[0], "peak_bytes": 1.5}]},
    ]
    assert all(judged("bench", wrong))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["--at", "S=4"], "not the batch `B` or the length `T`"),
        (["--repeat", "4"], "`--repeat` must be 5 or more"),
        (["--steps", "0"], "`--steps` must be 1 or more"),
        (["--plot", "no/such.svg"], "cannot write `no/such.svg`"),
        (["--plot", "-"], "`--plot -` and `--json` are two answers"),
        (["--plot", "times.png"], "`--plot` draws an SVG"),
        (["--plot", "build"], "cannot write `build`: Is a directory"),
        (["--compare", "nowhere", "--at", "T=4", "--steps", "2"], "holds no `model.onnx`"),
    ],
)
def test_wrong_questions_have_no_answer(
    asked: list[str], reason: str, built: str, archc: Archc
) -> None:
    said = archc("bench", built, *asked, "--json")
    document = json.loads(said.out)
    assert (said.code, document["ok"]) == (2, False)
    assert reason in document["error"]
    assert judged("bench", [document]) == [[]]
