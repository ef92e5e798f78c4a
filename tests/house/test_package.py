"""What the distribution promises: its dependencies on every platform, its pins, its files."""

import itertools
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from compiler import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GPU_WHEELS = [("linux", "x86_64"), ("linux", "aarch64"), ("win32", "AMD64")]
MACHINES = [*GPU_WHEELS, ("darwin", "arm64"), ("win32", "ARM64"), ("linux", "riscv64")]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {line[0]: line[1] for line in pairs}


@pytest.mark.parametrize(
    ("platform", "machine", "python", "implementation"),
    [
        (*place, python, kind)
        for place, python, kind in itertools.product(
            MACHINES, ["3.11", "3.14", "3.15"], ["CPython", "PyPy"]
        )
    ],
)
def test_one_runtime_everywhere(
    platform: str, machine: str, python: str, implementation: str
) -> None:
    environment = {
        "sys_platform": platform,
        "platform_machine": machine,
        "python_version": python,
        "platform_python_implementation": implementation,
        "extra": "",
    }
    wanted = [
        found.name
        for found in map(Requirement, PROJECT["dependencies"])
        if found.name.startswith("onnxruntime")
        and (found.marker is None or found.marker.evaluate(environment))
    ]
    has_wheel = (
        (platform, machine) in GPU_WHEELS
        and implementation == "CPython"
        and Version(python) < Version("3.15")
    )
    assert wanted == ["onnxruntime-gpu" if has_wheel else "onnxruntime"]


def test_every_dependency_is_pinned_within_its_range() -> None:
    pinned = pins()
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for wanted in map(Requirement, itertools.chain(*groups)):
        if wanted.name != PROJECT["name"]:
            assert pinned[canonicalize_name(wanted.name)] in wanted.specifier, wanted
    assert pinned["torch"] == "2.13.0"


def test_pins_are_sorted_and_exact() -> None:
    pinned = pins()
    assert list(pinned) == sorted(pinned)
    assert all("+" not in version for version in pinned.values())


def test_the_changelog_knows_this_version() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", ["archspec/py.typed", "compiler/py.typed", "LICENSE"])
def test_is_shipped(file: str) -> None:
    assert (ROOT / file).is_file()


def test_nothing_of_ours_collides_with_the_other_archspec_library() -> None:
    """That library's package has these modules; ours may live beside it only under other names."""
    theirs = {"cpu", "cli", "vendor", "json", "__main__"}
    assert {path.stem for path in (ROOT / "archspec").iterdir()} & theirs == set()
