"""`archc build` end to end on a small decoder."""

import ast
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compiler.pipeline.folder import verify_folder
from tests.cli.conftest import Archc

TEXT = Path("generated/decoder/tiny")
BINARIES = Path("build/decoder/tiny")


def snapshot(*folders: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_writes_two_whole_folders_and_sums_up(tiny: Path, archc: Archc) -> None:
    said = archc("build", str(tiny))
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("tiny built in ")
    assert str(TEXT) in said.out and str(BINARIES) in said.out
    assert {"model.py", "cost.md", "graph.txt", "onnx.txt"} <= set(os.listdir(TEXT))
    assert {"model.onnx", "model.safetensors"} <= set(os.listdir(BINARIES))
    assert verify_folder(TEXT) == verify_folder(BINARIES) == []


def test_a_second_build_changes_no_byte(tiny: Path, archc: Archc) -> None:
    archc("build", str(tiny))
    before = snapshot(TEXT, BINARIES)
    archc("build", "specs")
    assert snapshot(TEXT, BINARIES) == before


def test_check_tells_fresh_from_stale_and_writes_nothing(tiny: Path, archc: Archc) -> None:
    assert archc("build", "--check", "specs").code == 1
    archc("build", str(tiny))
    fresh = archc("build", "--check", "specs")
    assert (fresh.code, fresh.out, fresh.err) == (0, "", "")
    before = snapshot(TEXT)
    tiny.write_text(tiny.read_text().replace("gelu_tanh", "relu"))
    stale = archc("build", "--check", "specs")
    assert stale.code == 1
    assert f"{TEXT}/model.py: is stale\n" in stale.out
    assert snapshot(TEXT) == before


def test_check_sees_a_file_changed_by_hand(tiny: Path, archc: Archc) -> None:
    archc("build", str(tiny))
    with (TEXT / "model.py").open("a") as stream:
        stream.write("# touched\n")
    said = archc("build", "--check", str(tiny), "--json")
    document = json.loads(said.out)
    assert (said.code, document["ok"]) == (1, False)
    assert document["stale"] == [{"path": f"{TEXT}/model.py", "problem": "is stale"}] or any(
        each["path"] == f"{TEXT}/model.py" for each in document["stale"]
    )


def test_the_rebuild_command_writes_the_same_bytes(tiny: Path, archc: Archc) -> None:
    patches = ["--set", "n_layers=3", "--set", 'about=it\'s a "test"']
    archc("build", str(tiny), *patches, "--no-verify")
    before = snapshot(TEXT)
    said = re.search(r"^    rebuild  archc (.*)$", (TEXT / "model.py").read_text(), re.MULTILINE)
    assert said
    assert archc(*shlex.split(ast.literal_eval(f'"""{said[1]}"""')), "--no-verify").code == 0
    assert snapshot(TEXT) == before
    assert archc("build", "--check", str(tiny), *patches).code == 0
    assert archc("build", "--check", str(tiny)).code == 1


def test_the_cost_report_names_the_command_that_prints_it(tiny: Path, archc: Archc) -> None:
    archc("build", str(tiny), "--set", "n_layers=3", "--emit", "report")
    written = (TEXT / "cost.md").read_text()
    said = re.search(r"`archc (cost .*?)`", written)
    assert said
    assert archc(*shlex.split(said[1]), "--formulas").out == written


def test_over_budget_is_built_and_said(tiny: Path, archc: Archc) -> None:
    tiny.write_text(tiny.read_text() + "budget: {parameters: 1e3, kv_bytes: 1e9}\n")
    said = archc("build", str(tiny), "--no-verify")
    assert said.code == 1
    assert "  OVER  `parameters` is " in said.out
    assert "  ok    `kv_bytes` is " in said.out
    document = json.loads(archc("build", str(tiny), "--no-verify", "--json").out)
    assert [each["ok"] for each in document["specs"][0]["budget"]] == [False, True]
    assert archc("build", str(tiny), "--no-verify", "--set", "budget.parameters=1e6").code == 0


def test_check_and_another_place_exclude_each_other(tiny: Path, archc: Archc) -> None:
    said = archc("build", "--check", str(tiny), "--out", "there")
    assert (said.code, said.out) == (2, "")


def test_diff_prints_a_patch(tiny: Path, archc: Archc) -> None:
    archc("build", str(tiny))
    tiny.write_text(tiny.read_text().replace("gelu_tanh", "relu"))
    out = archc("build", "--diff", str(tiny)).out
    removed = [line for line in out.splitlines() if line.startswith("-") and "gelu" in line]
    added = [line for line in out.splitlines() if line.startswith("+") and "relu" in line]
    assert removed and added


def test_only_what_is_asked_for(tiny: Path, archc: Archc) -> None:
    assert archc("build", str(tiny), "--emit", "torch").code == 0
    assert set(os.listdir(TEXT)) == {"model.py", "graph.txt", "manifest.json"}
    assert not BINARIES.exists()


def test_another_place(tiny: Path, archc: Archc) -> None:
    assert archc("build", str(tiny), "--out", "there").code == 0
    assert {"model.py", "model.onnx"} <= set(os.listdir("there/decoder/tiny"))
    assert verify_folder(Path("there/decoder/tiny")) == []
    assert not Path("generated").exists() and not Path("build").exists()


def test_changed_values_reach_the_output(tiny: Path, archc: Archc) -> None:
    archc("build", str(tiny), "--set", "n_layers=3", "--set", "d_model=8", "--emit", "torch")
    constants = re.search(r"^L, D, .* = 3, 8, ", (TEXT / "model.py").read_text(), re.MULTILINE)
    assert constants, "no constants of the changed sizes"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (["--set", "n_layer=3"], 2, "n_layer"),
        (["--set", "n_heads=3"], 1, "error[AR"),
        (
            ["--emit", "torch", "--target", "cpu"],
            2,
            "error: weights, target, precision and logits are those of the ONNX model, which "
            "`--emit` leaves out\nhelp: say `--emit torch,onnx`, or leave them out\n",
        ),
        (
            ["--emit", "report", "--precision", "int8"],
            2,
            "help: say `--emit report,onnx`, or leave",
        ),
        (["--check", "--precision", "int8"], 2, "generated/ has portable models"),
        (["--watch", "--check"], 2, "`--watch` builds again and again"),
        (["--check", "--weights", "specs"], 2, "generated/ has no weights"),
        (["--emit", "tensorflow"], 2, "error: `--emit` does not know `tensorflow`\n"),
        (["--weights", "nowhere.pt"], 2, "error: no weights at `nowhere.pt`\n"),
    ],
)
def test_a_refusal_writes_nothing(
    line: list[str], code: int, said: str, tiny: Path, archc: Archc
) -> None:
    answer = archc("build", str(tiny), *line)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert os.listdir() == ["specs"]


def test_one_bad_spec_does_not_keep_the_others(tiny: Path, archc: Archc) -> None:
    tiny.with_name("bad.yaml").write_text("name: bad\n")
    said = archc("build", "specs", "--json")
    bad, good = json.loads(said.out)["specs"]
    assert said.code == 1
    assert (bad["ok"], good["ok"], good["name"]) == (False, True, "tiny")
    assert bad["diagnostics"]
    assert TEXT.exists()


def test_watching_builds_again_after_a_change_and_ends_well(tiny: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "compiler.cli",
        "build",
        "--watch",
        "--emit",
        "torch",
        str(tiny),
    ]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as watcher:
        assert watcher.stderr is not None
        assert watcher.stderr.readline() == "watching; Ctrl-C ends\n"
        before = (TEXT / "model.py").read_text()
        time.sleep(0.05)
        tiny.write_text(tiny.read_text().replace("gelu_tanh", "relu"))
        assert watcher.stderr.readline() == "watching; Ctrl-C ends\n"
        assert (TEXT / "model.py").read_text() != before
        (TEXT / "manifest.json").rename("away.json")
        tiny.write_text(tiny.read_text().replace("relu", "silu"))
        said = [watcher.stderr.readline() for _ in range(3)]
        assert "was not written by archc" in said[0] and said[2] == "watching; Ctrl-C ends\n"
        Path("away.json").rename(TEXT / "manifest.json")
        tiny.parent.rename("specs/away")
        time.sleep(0.5)
        Path("specs/away").rename(tiny.parent)
        tiny.write_text(tiny.read_text())
        while "silu" not in (TEXT / "model.py").read_text():
            assert watcher.stderr.readline()
        watcher.send_signal(signal.SIGINT)
        assert watcher.wait(timeout=30) == 0
