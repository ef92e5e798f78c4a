"""Exit codes and what is said when a command line is wrong, a pipe closes or archc has a bug."""

import json
import os
import subprocess
import sys

import pytest

from compiler import __version__
from tests.cli.conftest import Archc


def test_version(archc: Archc) -> None:
    said = archc("--version")
    assert (said.code, said.out, said.err) == (0, f"archc {__version__}\n", "")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (["chek"], "error: unknown command `chek`\nhelp: did you mean `check`?\n"),
        (["zzz"], "error: unknown command `zzz`\nhelp: `archc --help` lists the commands\n"),
        (["doctor", "--jsn"], "error: unknown option: `--jsn`\nhelp: did you mean `--json`?\n"),
        (["completion", "tcsh"], "error: invalid value `tcsh` for SHELL\nhelp: choose from: "
         "`bash`, `zsh`, `fish`\n"),
        (["completion"], "error: command `completion` parameter SHELL requires an argument\n"),
        (["new", "x", "--from"], "error: command `new` parameter `--from` requires an argument\n"),
        (["schema", "twice"], "error: `twice` is one argument too many\n"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_says_why_and_exits_2(
    line: list[str], complaint: str, archc: Archc
) -> None:
    said = archc(*line)
    assert (said.code, said.out) == (2, "")
    assert said.err == complaint


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (["chek"], "archc"),
        (["check", "nowhere.yaml"], "check"),
        (["explain", "nothing"], "explain"),
        (["new", "x", "--from", "thin-air"], "new"),
    ],
)
def test_a_program_is_told_in_json(line: list[str], kind: str, archc: Archc) -> None:
    plain, said = archc(*line), archc(*line, "--json")
    document = json.loads(said.out)
    assert (said.code, said.err) == (2, "")
    assert (document["kind"], document["ok"]) == (kind, False)
    assert plain.err.startswith(f"error: {document['error']}\n")
    assert document["help"] in plain.err


def test_a_bug_is_called_one(archc: Archc, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError("integer division\nby zero")

    monkeypatch.setattr("compiler.cli.topics.find_topic", broken)
    monkeypatch.delenv("ARCHC_TRACEBACK", raising=False)
    said = archc("explain", "AR0101")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "error: internal error: ZeroDivisionError: integer division by zero\n"
        "help: this is a bug in archc; ARCHC_TRACEBACK=1 shows where\n"
    )
    monkeypatch.setenv("ARCHC_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        archc("explain", "AR0101")


def test_too_little_memory_is_no_bug(archc: Archc, monkeypatch: pytest.MonkeyPatch) -> None:
    def large(_: object) -> None:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("compiler.cli.topics.find_topic", large)
    monkeypatch.delenv("ARCHC_TRACEBACK", raising=False)
    said = archc("explain", "AR0101")
    assert (said.code, said.err) == (
        2,
        "error: there is not enough memory: Unable to allocate 9 TiB\n",
    )


def test_a_closed_pipe_is_no_error() -> None:
    script = f"{sys.executable} -m compiler.cli completion bash | head -c 1"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({}, False),
    ],
)
def test_colour_obeys_the_environment(variables: dict[str, str], coloured: bool) -> None:
    environment = {
        key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")
    }
    done = subprocess.run(
        [sys.executable, "-m", "compiler.cli", "chek"],
        capture_output=True,
        text=True,
        check=False,
        env=environment | variables,
    )
    assert done.returncode == 2
    assert ("\x1b[" in done.stderr) is coloured


@pytest.mark.parametrize(
    "line", [["explain", "attention"], ["completion", "zsh"], ["doctor"], ["ops"], ["schema"]]
)
def test_json_documents_say_what_they_are(line: list[str], archc: Archc) -> None:
    said = archc(*line, "--json")
    document = json.loads(said.out)
    assert document["archc"] == __version__
    assert document["version"] == 1
    assert document["kind"] == line[0]
    assert list(document) == sorted(document)
    assert said.err == ""
