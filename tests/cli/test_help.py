"""Every command's help page is a golden; the front page imports nothing."""

import pytest

from compiler.cli.table import COMMANDS
from tests.cli.conftest import Archc
from tests.conftest import GOLDEN, Golden


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_the_golden(command: str, archc: Archc, golden: Golden) -> None:
    said = archc(*filter(None, [command]), "--help")
    assert (said.code, said.err) == (0, "")
    golden(f"help/{command or 'archc'}.txt", said.out)


def test_no_help_page_is_left_behind() -> None:
    assert {path.stem for path in (GOLDEN / "help").iterdir()} == {"archc", *COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_takes_json_and_fits_a_terminal(command: str, archc: Archc) -> None:
    page = archc(command, "--help").out
    assert "--json" in page
    assert max(map(len, page.splitlines())) <= 100


def test_the_front_page_lists_every_command_once(archc: Archc) -> None:
    page = archc("--help").out
    for command in COMMANDS.values():
        assert page.count(f"\n  {command.name} ") == 1
        assert command.summary in page


def test_short_help_is_help(archc: Archc) -> None:
    assert archc("-h") == archc("--help")
    assert archc("cost", "-h") == archc("cost", "--help")


def test_nothing_asked_is_no_answer(archc: Archc) -> None:
    said = archc()
    assert (said.code, said.out) == (2, "")
    assert said.err == archc("--help").out
