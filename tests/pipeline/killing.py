"""Kill forked writers at random moments; run as a process of its own, because it forks.

`python -m tests.pipeline.killing folder|build PLACE [one-exchange|two-renames]` exits 0 when every
kill left folders that agree with their manifests, and prints how many kills struck.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from compiler.pipeline import build
from compiler.pipeline import folder as folder_module
from compiler.pipeline.folder import verify_folder, write_folder
from compiler.pipeline.manifest import Origin

KILLS = 40
FILES = ("model.py", "graph.txt", "cost.md", "sub/onnx.txt")


def write(target: Path, version: int) -> None:
    """One version of a small folder, every line of every file saying which."""
    with write_folder(target, Origin("specs/x.yaml", str(version), {})) as draft:
        for name in FILES:
            draft.write(name, f"{version}\n" * 200)


def versions(target: Path) -> set[str]:
    """The versions that the lines of a folder's files are of."""
    return {line for name in FILES for line in (target / name).read_text().splitlines()}


def kill(work: Callable[[], object], after: float) -> bool:
    """Do work in a fork and kill it; whether the kill struck before its end."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def kill_folders(place: Path, way: str) -> int:
    """Kill writers that write version after version; returns how many left something beside."""
    if way == "two-renames":
        setattr(folder_module, "exchange", lambda one, other: False)  # noqa: B010  # a stand-in
    target = place / "generated" / "tiny"
    write(target, 0)
    chance, midway = random.Random(20240607), 0
    for trial in range(1, KILLS + 1):

        def for_ever(first: int = 1000 * trial) -> None:
            for version in range(first, first + 100_000):
                write(target, version)

        assert kill(for_ever, chance.uniform(0.0, 0.03))
        midway += len(list(target.parent.iterdir())) > 1
        if way == "one-exchange" or target.exists():
            assert verify_folder(target) == []
            assert len(versions(target)) == 1
        write(target, trial)
        assert [path.name for path in target.parent.iterdir()] == ["tiny"]
        assert versions(target) == {str(trial)}
    return midway


def kill_builds(spec: Path) -> int:
    """Kill real builds of changing specs until `KILLS` kills struck; returns how many did."""
    folders = (Path("generated/decoder/tiny"), Path("build/decoder/tiny"))
    build(str(spec))
    began = time.monotonic()
    build(str(spec))
    length = time.monotonic() - began
    chance, struck = random.Random(7), 0
    for trial in range(4 * KILLS):
        work = partial(build, str(spec), set=[f"n_layers={1 + trial % 3}"])
        struck += kill(work, chance.uniform(0.02, 1) * length)
        assert [verify_folder(folder) for folder in folders] == [[], []]
        if struck == KILLS:
            break
    build(str(spec))
    assert [verify_folder(folder) for folder in folders] == [[], []]
    assert all(len(list(folder.parent.iterdir())) == 1 for folder in folders)
    return struck


if __name__ == "__main__":
    what, where, *way = sys.argv[1:]
    struck = kill_folders(Path(where), way[0]) if what == "folder" else kill_builds(Path(where))
    print(struck)
