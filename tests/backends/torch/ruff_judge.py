"""Ruff as the judge of layouts: many logical lines formatted in one process."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

RUFF = [sys.executable, "-m", "ruff"]
MARK = "# case "


@dataclass(frozen=True)
class Case:
    """A logical line at a depth of at least one, with the comment that ends it."""

    line: str
    depth: int = 1
    comment: str = ""


def ruff_format(source: str) -> str:
    """`source` as Ruff formats it; raises where it does not parse."""
    command = [*RUFF, "format", "--isolated", "--line-length", "100", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ruff_complaints(source: str) -> str:
    """What `ruff check --isolated` says about `source`; empty if nothing."""
    command = [*RUFF, "check", "--isolated", "--quiet", "--line-length", "100", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True).stdout


def ruff_lines(cases: Sequence[Case]) -> list[list[str]]:
    """The physical lines Ruff makes of each case."""
    blocks = [f"{MARK}{index}\n{_program(case)}" for index, case in enumerate(cases)]
    formatted = ruff_format("\n".join(blocks))
    found = formatted.split(MARK)[1:]
    assert len(found) == len(cases)
    return [_cut(case, block) for case, block in zip(cases, found, strict=True)]


def _program(case: Case) -> str:
    indent = "    " * case.depth
    rows = _around(case)
    end = f"  {case.comment}" if case.comment else ""
    rows.append(f"{indent}{case.line}{end}")
    if case.line.startswith("@"):
        rows.append(f"{indent}def f(): pass")
    elif case.line.endswith(":"):
        rows.append(f"{indent}    pass")
    return "\n".join(rows) + "\n"


def _around(case: Case) -> list[str]:
    rows = ["def f():", *("    " * level + "if 1:" for level in range(1, case.depth))]
    if case.line.startswith("el"):
        indent = "    " * case.depth
        rows += [f"{indent}if 1:", f"{indent}    pass"]
    return rows


def _cut(case: Case, block: str) -> list[str]:
    rows = [row for row in block.split("\n")[1:] if row][len(_around(case)) :]
    if case.line.startswith("@"):
        return rows[:-2]
    return rows[:-1] if case.line.endswith(":") else rows
