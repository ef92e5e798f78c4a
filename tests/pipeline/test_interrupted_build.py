"""A real build killed at any moment leaves two folders that agree with their manifests."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compiler.pipeline import build
from compiler.pipeline.folder import verify_folder
from tests.pipeline.killing import KILLS

FOLDERS = (Path("generated/decoder/tiny"), Path("build/decoder/tiny"))
ROOT = Path(__file__).parents[2]


def entries() -> list[str]:
    return sorted(str(path) for folder in FOLDERS for path in folder.parent.iterdir())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked builds")
def test_killed_at_random_moments(decoder: Path) -> None:
    command = [sys.executable, "-m", "tests.pipeline.killing", "build", str(decoder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == KILLS, "too many kills came too late"


COMMAND = [sys.executable, "-m", "compiler.cli", "build"]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


def test_control_c_says_so_and_exits_2(decoder: Path) -> None:
    build(str(decoder))
    large = ["--set", "d_model=1024", "--set", "n_layers=24"]
    with subprocess.Popen(
        [*COMMAND, str(decoder), *large], stderr=subprocess.PIPE, text=True, env=environment()
    ) as builder:
        beside = FOLDERS[1].parent
        until = time.monotonic() + 30
        while len(list(beside.iterdir())) == 1 and time.monotonic() < until:
            time.sleep(0.005)
        builder.send_signal(signal.SIGINT)
        _, said = builder.communicate(timeout=30)
    assert (builder.returncode, said) == (2, "interrupted\n")
    assert [verify_folder(folder) for folder in FOLDERS] == [[], []]
    assert entries() == sorted(map(str, FOLDERS))


FILL = """
import subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "build"], check=True)
from compiler.cli.run import run
assert run(["build", sys.argv[1]]) == 0
if sys.argv[2] == "taken":
    import shutil
    room = shutil.disk_usage(".")
    shutil.disk_usage = lambda path: room  # what another program takes after a look at the disk
print(run(["build", sys.argv[1], "--set", "d_model=256", "--set", "n_layers=4"]))
from pathlib import Path
from compiler.pipeline.folder import verify_folder
folder = Path("build/decoder/tiny")
print(verify_folder(folder), [path.name for path in folder.parent.iterdir()])
"""


@pytest.mark.parametrize(
    ("room", "said"), [("short", "are free on the disk"), ("taken", "the disk is full")]
)
def test_a_disk_that_fills_is_said_and_leaves_the_last_build(
    decoder: Path, room: str, said: str
) -> None:
    Path("build").mkdir()
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "build"]
    try:
        able = subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        pytest.skip("this system does not let a test mount a small file system")
    run = ["unshare", "-rm", sys.executable, "-c", FILL, str(decoder), room]
    done = subprocess.run(run, capture_output=True, text=True, check=False, env=environment())
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.splitlines()[-2:] == ["2", "[] ['tiny']"]
