"""Killed at any moment, a build leaves the old folder or the new one; the next cleans up."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compiler.pipeline import folder as folder_module
from compiler.pipeline.folder import verify_folder, write_folder
from compiler.pipeline.manifest import Origin
from compiler.pipeline.recover import recover

KILLS = 40
FILES = ("model.py", "graph.txt", "cost.md", "sub/onnx.txt")


def build(target: Path, version: int) -> None:
    with write_folder(target, Origin("specs/x.yaml", str(version), {})) as draft:
        for name in FILES:
            draft.write(name, f"{version}\n" * 200)


def versions(target: Path) -> set[str]:
    return {line for name in FILES for line in (target / name).read_text().splitlines()}


def write_for_ever(target: Path, first: int) -> None:
    """Runs in a forked child until it is killed."""
    try:
        for version in range(first, first + 100_000):
            build(target, version)
    finally:
        os._exit(1)


def kill_a_writer(target: Path, first: int, after: float) -> None:
    child = os.fork()
    if child == 0:
        write_for_ever(target, first)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked writers")
@pytest.mark.parametrize("way", ["one exchange", "two renames"])
def test_killed_at_random_moments(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "two renames":
        monkeypatch.setattr(folder_module, "exchange", lambda one, other: False)
    target = tmp_path / "generated" / "tiny"
    build(target, 0)
    chance = random.Random(20240607)
    seen_midway = 0
    for trial in range(KILLS):
        kill_a_writer(target, 1000 * (trial + 1), chance.uniform(0.0, 0.03))
        others = [path for path in target.parent.iterdir() if path != target]
        seen_midway += bool(others)
        if way == "one exchange" or target.exists():
            assert verify_folder(target) == []
            assert len(versions(target)) == 1
        build(target, trial)
        assert [path.name for path in target.parent.iterdir()] == ["tiny"]
        assert versions(target) == {str(trial)}
    assert seen_midway > KILLS // 4, "the kills missed the writing; lengthen the writing"


def leave(target: Path, kind: str, version: int) -> Path:
    """A whole folder under the name an interrupted exchange leaves it."""
    build(target.with_name("spare"), version)
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
    build(target, 2)
    (leave(target, "draft", 1) / "notes.txt").write_text("mine")
    build(target, 3)
    assert (target / "notes.txt").read_text() == "mine"
    assert versions(target) == {"3"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tiny"]


def test_a_half_written_draft_is_thrown_away(tmp_path: Path) -> None:
    left = tmp_path / ".tiny.archc-draft-dead"
    left.mkdir()
    (left / "model.onnx").write_text("half")
    build(tmp_path / "tiny", 2)
    assert not (tmp_path / "tiny" / "model.onnx").exists()
    assert not left.exists()


def test_another_living_build_of_the_same_target_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "tiny"
    with write_folder(target, Origin("s", "slow", {})) as slow:
        slow.write("model.py", "slow\n")
        build(target, 7)
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
with write_folder(Path(sys.argv[1]), Origin("s", "0", {})) as draft:
    draft.write("model.py", "new")
    print("writing", flush=True)
    time.sleep(60)
"""


def test_control_c_leaves_the_old_folder_and_no_draft(tmp_path: Path) -> None:
    target = tmp_path / "tiny"
    build(target, 1)
    command = [sys.executable, "-c", INTERRUPTED, str(target)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == "writing\n"
        writer.send_signal(signal.SIGINT)
        assert writer.wait(timeout=30) != 0
    assert versions(target) == {"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]
