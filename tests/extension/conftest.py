"""The example package as if it were installed, and archc in a process that finds it."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

PACKAGE = Path(__file__).parent / "token_shift"
ROOT = Path(__file__).parents[2]

Archc: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
Change: TypeAlias = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an installer writes for the package's pyproject.toml."""
    return described(tmp_path_factory.mktemp("site"), lambda points: None)


@pytest.fixture(scope="session")
def archc(installed: Path) -> Archc:
    return caller(installed)


def caller(site: Path) -> Archc:
    """Calls archc where the packages of `site` are installed."""
    path = os.pathsep.join(map(str, (site, PACKAGE, ROOT)))
    surroundings = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "COLUMNS": "80"}

    def call(*arguments: str, within: Path = PACKAGE) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "compiler.cli", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, env=surroundings, cwd=within, check=False
        )

    return call


def described(site: Path, change: Change) -> Path:
    """The metadata of the package with its entry points changed."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = project["entry-points"]
    change(points)
    folder = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, found in points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in found.items()))
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return site
