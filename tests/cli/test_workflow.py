"""The workflow for GitHub: YAML that parses, and scripts that do what they say in a repository."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.cli.conftest import Archc

ROOT = Path(__file__).parents[2]
GH = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done >> "$GH_LOG"
case "$*" in *--jq*) cat "$GH_OLD" ;; esac
"""


@pytest.fixture
def steps(tiny: Path, archc: Archc) -> dict[str, dict[str, Any]]:
    """The steps of the workflow that `archc new` writes, by name."""
    said = archc("new", "--workflow")
    assert (said.code, said.out) == (0, ".github/workflows/specs.yml\n")
    whole = YAML(typ="safe", pure=True).load(Path(said.out.strip()).read_text())
    assert whole["on"] == {"pull_request": {"paths": ["specs/**", "generated/**"]}}
    assert whole["permissions"]["contents"] == "read"
    return {each.get("name", each.get("uses")): each for each in whole["jobs"]["specs"]["steps"]}


@pytest.fixture
def bench(tiny: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a runner: `archc`, a `gh` that notes what it is asked, a repository."""
    programs = tmp_path / "bin"
    programs.mkdir()
    archc = f'#!/bin/sh\nexec "{sys.executable}" -m compiler.cli "$@"\n'
    for name, text in (("archc", archc), ("gh", GH)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "old").write_text("")
    for command in ("init -q -b main", "add specs", "commit -q -m base"):
        git(*command.split())
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "BASE": git("rev-parse", "HEAD").strip(),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GH_LOG": str(tmp_path / "gh.log"),
        "GH_OLD": str(tmp_path / "old"),
        "COMMENTS": "repos/o/r/issues/7/comments",
        "COMMENT": "repos/o/r/issues/comments",
    }


def git(*words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *words], capture_output=True, text=True, check=True)
    return done.stdout


def ran(step: dict[str, Any], environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """A step as GitHub runs it."""
    assert "${{" not in step["run"], "what others wrote comes by the environment alone"
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)


def test_checks_fail_with_annotations_and_a_log(
    steps: dict[str, dict[str, Any]], bench: dict[str, str], tiny: Path
) -> None:
    check = steps["Check specs and their budgets"]
    assert ran(check, bench).returncode == 0
    tiny.write_text(tiny.read_text() + "budget: {parameters: 10}\n")
    failed = ran(check, bench)
    assert failed.returncode == 1
    assert failed.stdout.startswith(f"::error file={tiny},")
    assert ran(steps["Write what is wrong for code scanning"], bench).returncode == 0
    log = json.loads(Path("archc.sarif").read_text())
    assert log["runs"][0]["results"][0]["ruleId"] == "AR0810"
    assert steps["Hand it to code scanning"]["with"]["sarif_file"] == "archc.sarif"


def test_the_comment_has_changed_and_new_specs(
    steps: dict[str, dict[str, Any]], bench: dict[str, str], tiny: Path
) -> None:
    new = tiny.with_name("my new one.yaml")
    new.write_text(tiny.read_text())
    tiny.write_text(tiny.read_text().replace("n_layers: 2", "n_layers: 4"))
    git("add", "specs")
    git("commit", "-q", "-m", "deeper")
    done = ran(steps["Compare specs with the base"], bench)
    assert (done.returncode, done.stderr) == (0, "")
    text = Path("comment.md").read_text()
    assert text.startswith("<!-- archc specs -->\n<!-- archc diff specs/decoder/tiny.yaml -->\n")
    assert "n_layers" in text
    assert "<details><summary>new: my new one.yaml</summary>\n\n# What tiny costs" in text
    assert Path(bench["GITHUB_STEP_SUMMARY"]).read_text() == text


def test_the_comment_follows_renames_and_what_specs_extend(
    steps: dict[str, dict[str, Any]], bench: dict[str, str], tiny: Path
) -> None:
    """A spec that moved is compared with what it was; one that extends a changed one has changed,
    one that extends another has not; one that is gone is named."""
    base, other = (tiny.with_name(f"{name}.yaml") for name in ("base", "other"))
    for each in (base, other):
        each.write_text(tiny.read_text().replace("name: tiny", f"name: {each.stem}"))
        heir = f"archspec: 1\nname: {each.stem}-heir\nextends: {each.name}\n"
        each.with_name(f"{each.stem}-heir.yaml").write_text(heir)
    gone = tiny.with_name("gone.yaml")
    gone.write_text("archspec: 1\nname: gone\n")
    git("add", "specs")
    git("commit", "-q", "-m", "base")
    bench["BASE"] = git("rev-parse", "HEAD").strip()
    gone.unlink()
    tiny.rename(tiny.with_name("moved.yaml"))
    base.write_text(base.read_text().replace("n_layers: 2", "n_layers: 4"))
    git("add", "-A", "specs")
    git("commit", "-q", "-m", "changes")
    done = ran(steps["Compare specs with the base"], bench)
    assert (done.returncode, done.stderr) == (0, "")
    text = Path("comment.md").read_text()
    names = [line for line in text.splitlines() if line.startswith("<!-- archc diff ")]
    paths = [f"specs/decoder/{name}.yaml" for name in ("base", "moved", "base-heir")]
    assert names == [f"<!-- archc diff {path} -->" for path in paths]
    assert "specs/decoder/tiny.yaml@" in text
    assert "\nremoved: gone.yaml\n" in text


def test_generated_files_that_are_stale_fail(
    steps: dict[str, dict[str, Any]], bench: dict[str, str], tiny: Path, archc: Archc
) -> None:
    check = steps["Check that generated files are what specs compile to"]
    assert "hashFiles('generated/**')" in check["if"]
    assert archc("build", str(tiny), "--weights", "none", "--no-verify").code == 0
    assert ran(check, bench).returncode == 0
    tiny.write_text(tiny.read_text().replace("n_layers: 2", "n_layers: 4"))
    assert ran(check, bench).returncode == 1


def test_a_comment_that_is_too_long_points_at_the_summary(
    steps: dict[str, dict[str, Any]], bench: dict[str, str], tiny: Path
) -> None:
    tiny.with_name("new.yaml").write_text(tiny.read_text())
    (Path(bench["GITHUB_STEP_SUMMARY"]).parent / "bin/archc").write_text(
        "#!/bin/sh\nprintf '%070000d' 0\n"
    )
    git("add", "specs")
    git("commit", "-q", "-m", "more")
    assert ran(steps["Compare specs with the base"], bench).returncode == 0
    assert Path("comment.md").read_text() == (
        "<!-- archc specs -->\nLong: see the summary of the job.\n"
    )
    assert Path(bench["GITHUB_STEP_SUMMARY"]).stat().st_size > 65_000


def test_one_comment_is_written_and_then_changed(
    steps: dict[str, dict[str, Any]], bench: dict[str, str]
) -> None:
    say = steps["Say so in one comment"]
    assert ran(say, bench).returncode == 0
    asked = Path(bench["GH_LOG"]).read_text()
    assert 'startswith("<!-- archc specs -->")' in asked
    assert asked.endswith(f"api\n{bench['COMMENTS']}\n--field\nbody=@comment.md\n--silent\n")
    Path(bench["GH_OLD"]).write_text("41\n42\n")
    assert ran(say, bench).returncode == 0
    assert f"PATCH\n{bench['COMMENT']}/41\n" in Path(bench["GH_LOG"]).read_text()


def test_a_workflow_is_never_written_over(archc: Archc, tiny: Path) -> None:
    assert archc("new", "--workflow").code == 0
    said = archc("new", "--workflow")
    assert (said.code, said.out) == (2, "")
    assert "exists" in said.err
    assert archc("new", "--workflow", "name").code == 2
