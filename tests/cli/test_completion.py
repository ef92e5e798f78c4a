"""The completion scripts are judged by the shells themselves."""

import shutil
import subprocess
from pathlib import Path

import pytest

from compiler.cli.table import COMMANDS
from tests.cli.conftest import Archc


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_names_every_command(shell: str, archc: Archc) -> None:
    said = archc("completion", shell)
    assert said.code == 0
    for command in COMMANDS:
        assert command in said.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_it(shell: str, archc: Archc, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "archc"
    script.write_text(archc("completion", shell).out)
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes_a_command(archc: Archc, tmp_path: Path) -> None:
    script = tmp_path / "archc"
    script.write_text(archc("completion", "bash").out)
    ask = (
        f"source {script}; COMP_WORDS=(archc che); COMP_CWORD=1; COMP_LINE='archc che'; "
        "COMP_POINT=9; $(complete -p archc | grep -o '_[a-z_]*archc[a-z_]*' | head -1); "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=False)
    assert "check" in done.stdout.split()


def test_bash_still_completes_files(archc: Archc, tmp_path: Path) -> None:
    script = tmp_path / "archc"
    script.write_text(archc("completion", "bash").out)
    ask = f"source {script}; complete -p archc"
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=False)
    assert "-o default" in done.stdout


def test_zsh_offers_files_where_a_command_takes_some(archc: Archc) -> None:
    lines = archc("completion", "zsh").out.splitlines()
    assert sum(line.endswith(":_files' \\") for line in lines) == 14
