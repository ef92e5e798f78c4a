"""`archc diff`: its three formats as goldens, its questions, its exit codes."""

import json
import os
import shutil
from pathlib import Path

import pytest

from compiler import __version__
from compiler.passes.metrics import METRICS
from tests.cli.conftest import Archc
from tests.conftest import Golden
from tests.pipeline.test_revision import commit, git

SPECS = Path(__file__).parents[2] / "specs"
COUNTED = (
    "parameters",
    "parameters_active",
    "matmul_flops",
    "weights_bytes",
    "kv_bytes_per_token",
    "attention_flops_causal",
)
PAIR = ("specs/llama2-7b.yaml", "specs/llama2-70b.yaml")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three of the project's specs, two of which extend the third."""
    (tmp_path / "specs").mkdir()
    for name in ("llama-7b", "llama2-7b", "llama2-70b"):
        shutil.copy(SPECS / "decoder" / f"{name}.yaml", tmp_path / "specs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "format", "sides"),
    [
        ("llama2-7b-70b.txt", "text", PAIR),
        ("llama2-7b-70b.md", "markdown", PAIR),
        ("llama2-7b-wider.json", "json", (PAIR[0], "--set", "d_ff=12288")),
    ],
)
def test_the_three_formats(
    name: str,
    format: str,
    sides: tuple[str, ...],
    project: Path,
    archc: Archc,
    golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of six totals: what else is counted elsewhere is no matter of these files."""
    few = {name: METRICS[name] for name in COUNTED}
    monkeypatch.setattr("compiler.report.diff.totals.METRICS", few)
    said = archc("diff", *sides, "--format", format)
    assert (said.code, said.err) == (0, "")
    golden(f"diff/{name}", said.out.replace(f'"{__version__}"', '"VERSION"'))


def test_json_is_json(project: Path, archc: Archc) -> None:
    assert archc("diff", *PAIR, "--json").out == archc("diff", *PAIR, "--format", "json").out


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--assume", "reserve=1GiB"), 2, "`--assume` is about a device"),
        (("--device", "h2"), 2, "no device is called `h2`"),
        (("--parallel", "dp=2", "--precision", "int4"), 2, "are counted in floats"),
        (("--precision", "int4", "--target", "portable"), 2, "does not know `portable`"),
    ],
)
def test_where_it_runs_is_refused_in_words(
    options: tuple[str, ...], code: int, said: str, project: Path, archc: Archc
) -> None:
    answer = archc("diff", *PAIR, *options)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err


def test_a_comment_is_found_again_by_its_first_line(project: Path, archc: Archc) -> None:
    """The mark names the second spec alone, whatever it is compared with."""
    git(project, "init", "-q")
    commit(project, "first")
    said = [
        archc("diff", one, "specs/llama2-70b.yaml", "--format", "markdown").out.partition("\n")[0]
        for one in ("specs/llama-7b.yaml", "specs/llama2-70b.yaml@HEAD", "specs/llama2-70b.yaml")
    ]
    assert set(said) == {"<!-- archc diff specs/llama2-70b.yaml -->"}


def test_a_revision_against_the_working_copy(project: Path, archc: Archc) -> None:
    git(project, "init", "-q")
    commit(project, "first")
    spec = project / "specs/llama2-7b.yaml"
    spec.write_text(spec.read_text().replace("d_ff: 11008", "d_ff: 12000"))
    said = json.loads(archc("diff", "specs/llama-7b.yaml@HEAD", "--json").out)
    (change,) = said["changes"]
    assert (change["path_after"], change["field"]) == ("h.0..32.mlp", "hidden")
    assert (change["before"], change["after"]) == ("11008", "12000")
    (cause,) = change["causes"]
    assert cause["what"] == "dims.d_ff"
    assert cause["before"]["file"] == "specs/llama2-7b.yaml@HEAD"
    assert cause["after"]["file"] == "specs/llama2-7b.yaml"
    grown = 3 * 4096 * (12000 - 11008) * 32
    assert said["totals"]["parameters"]["change"] == grown


def test_a_spec_with_a_change_of_itself(project: Path, archc: Archc) -> None:
    said = [
        json.loads(archc("diff", *sides, "--set", "n_layers=16", "--json").out)
        for sides in (["specs/llama-7b.yaml"], ["specs/llama-7b.yaml", "specs/llama-7b.yaml"])
    ]
    assert said[0] == said[1]
    (change,) = said[0]["changes"]
    assert (change["field"], change["before"], change["after"]) == ("repeat", "32", "16")
    assert change["causes"][0]["after"] == {
        "file": "--set", "line": 1, "column": 10, "set": "n_layers=16"
    }  # fmt: skip


def test_lengths_and_precision(project: Path, archc: Archc) -> None:
    short, long = (
        json.loads(archc("diff", *PAIR, "--at", f"S={n}", "--precision", "fp32", "--json").out)
        for n in (128, 256)
    )
    assert short["before"]["at"] == short["after"]["at"] == {"B": 1, "T": 128, "S": 128}
    assert short["totals"]["kv_bytes_per_token"]["before"] == 2 * 4 * 32 * 128 * 32
    assert long["totals"]["kv_bytes"]["change"] == 2 * short["totals"]["kv_bytes"]["change"]


def test_a_difference_is_no_failure_but_a_broken_limit_is(project: Path, archc: Archc) -> None:
    spec = project / "specs/llama2-70b.yaml"
    assert archc("diff", *PAIR).code == 0
    spec.write_text(spec.read_text() + "budget: {parameters: 60e9}\n")
    said = archc("diff", *PAIR)
    assert (said.code, said.err) == (1, "")
    assert "OVER  `parameters` is 69.0 B" in said.out.replace("\u202f", " ")
    assert "**over budget**" in archc("diff", *PAIR, "--format", "markdown").out
    assert not json.loads(archc("diff", *PAIR, "--json").out)["ok"]
    assert archc("diff", *reversed(PAIR)).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["specs/llama-7b.yaml"], "is compared with nothing"),
        (["specs/lama-7b.yaml", "specs/llama-7b.yaml"], "no file `specs/lama-7b.yaml`"),
        (["specs/llama-7b.yaml@HEAD"], "is in no git repository"),
        (["specs/llama-7b.yaml@"], "names no revision"),
        (["specs", "specs/llama-7b.yaml"], "a folder without"),
        (["-", "--set", "n_layers=1"], "standard input can be one side only"),
        ([*PAIR, "--at", "Q=3"], "no length `Q`"),
        ([*PAIR, "--set", "nonsense=1"], "no `nonsense`"),
        ([*PAIR, PAIR[0]], "one argument too many"),
        ([], "requires an argument"),
    ],
)
def test_what_cannot_be_answered(
    arguments: list[str], said: str, project: Path, archc: Archc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    found = archc("diff", *arguments)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_one_side_from_standard_input(project: Path, archc: Archc) -> None:
    text = (project / "specs/llama2-7b.yaml").read_text()
    said = archc("diff", "-", "specs/llama2-7b.yaml", stdin=text)
    assert (said.code, said.err) == (0, "")
    assert "no difference" in said.out


def test_nothing_is_written_and_little_is_loaded(project: Path) -> None:
    import subprocess
    import sys

    script = (
        "import sys; from compiler.cli.run import run; run(sys.argv[1:]);"
        "print([m for m in ('torch', 'numpy', 'sympy', 'jinja2', 'onnx') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "diff", *PAIR],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SPECS.parent)},
    )
    assert done.stdout.endswith("[]\n")
    assert [each.name for each in project.iterdir()] == ["specs"]
