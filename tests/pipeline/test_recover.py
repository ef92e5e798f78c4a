"""Killed at any moment, a build leaves the old folder or the new one; the next cleans up."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.pipeline.folder import verify_folder, write_folder
from compiler.pipeline.manifest import Origin
from compiler.pipeline.recover import recover
from tests.pipeline.killing import KILLS, versions, write

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked writers")
@pytest.mark.parametrize("way", ["one-exchange", "two-renames"])
def test_killed_at_random_moments(way: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.pipeline.killing", "folder", str(tmp_path), way]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > KILLS // 4, "the kills missed the writing; lengthen the writing"


def leave(target: Path, kind: str, version: int) -> Path:
    """A whole folder under the name an interrupted exchange leaves it."""
    write(target.with_name("spare"), version)
    return target.with_name("spare").rename(target.with_name(f".{target.name}.archc-{kind}-0"))


@pytest.mark.parametrize(("new_is_whole", "expected"), [(True, "2"), (False, "1")])
def test_an_empty_place_gets_the_newest_whole_folder(
    tmp_path: Path, new_is_whole: bool, expected: str
) -> None:
    target = tmp_path / "tiny"
    leave(target, "old", 1)
    draft = leave(target, "draft", 2)
    if not new_is_whole:
        (draft / "manifest.json").unlink()
    recover(target)
    assert versions(target) == {expected}
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]


def test_notes_beside_the_outputs_survive_a_kill_after_the_exchange(tmp_path: Path) -> None:
    target = tmp_path / "tiny"
    write(target, 2)
    (leave(target, "draft", 1) / "notes.txt").write_text("mine")
    write(target, 3)
    assert (target / "notes.txt").read_text() == "mine"
    assert versions(target) == {"3"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tiny"]


def test_a_half_written_draft_is_thrown_away(tmp_path: Path) -> None:
    left = tmp_path / ".tiny.archc-draft-dead"
    left.mkdir()
    (left / "model.onnx").write_text("half")
    write(tmp_path / "tiny", 2)
    assert not (tmp_path / "tiny" / "model.onnx").exists()
    assert not left.exists()


def test_another_living_build_of_the_same_target_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "tiny"
    with write_folder(target, Origin("s", "slow", {})) as slow:
        slow.write("model.py", "slow\n")
        write(target, 7)
        assert versions(target) == {"7"}
        slow.write("graph.txt", "slow\n")
    assert (target / "model.py").read_text() == (target / "graph.txt").read_text() == "slow\n"
    assert verify_folder(target) == []
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]


INTERRUPTED = """
import sys, time
from pathlib import Path
from compiler.pipeline.folder import write_folder
from compiler.pipeline.manifest import Origin
from compiler.pipeline.recover import recover
from tests.pipeline.killing import KILLS, versions, write
with write_folder(Path(sys.argv[1]), Origin("s", "0", {})) as draft:
    draft.write("model.py", "new")
    print("writing", flush=True)
    time.sleep(60)
"""


def test_control_c_leaves_the_old_folder_and_no_draft(tmp_path: Path) -> None:
    target = tmp_path / "tiny"
    write(target, 1)
    command = [sys.executable, "-c", INTERRUPTED, str(target)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == "writing\n"
        writer.send_signal(signal.SIGINT)
        assert writer.wait(timeout=30) != 0
    assert versions(target) == {"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]
