"""The signs that `archc doctor` looks at; none needs the package it is about."""

import importlib.util
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from archspec.source.frozen import Frozen
from compiler import __version__
from compiler.runtime.cuda import INSTALL, compute_capability, has_cuda_device, has_cudnn, obstacle

DISTRIBUTION = "archspec-compiler"
OPTIONAL = {"tokenizers": "words", "pillow": "pictures"}
"""Packages that an installation may lack, and what `archc run` then cannot read."""
RUNTIMES = ("onnxruntime-gpu", "onnxruntime")


class Sign(Frozen):
    """One thing looked at: what it is, what was found, and whether it keeps archc from working."""

    about: str
    found: str
    bad: bool = False
    help: str = ""

    def text(self) -> str:
        """One line, and one more where there is something to do."""
        line = f"{'bad ' if self.bad else 'ok  '}{self.about:<18} {self.found}"
        return line + (f"\n    help: {self.help}" if self.help else "")

    def document(self) -> dict[str, object]:
        """The sign for a program."""
        return {"about": self.about, "found": self.found, "bad": self.bad, "help": self.help}


def examine() -> list[Sign]:
    """All signs, the installation first."""
    return [
        *_python(),
        *_packages(),
        *_optional(),
        *_namesake(),
        *_extensions(),
        *_runtimes(),
        *_devices(),
        *_folders(),
    ]


def _python() -> Iterator[Sign]:
    yield Sign("archc", __version__)
    version = ".".join(map(str, sys.version_info[:3]))
    old = sys.version_info < (3, 11)
    yield Sign("python", version, old, "Python 3.11 or newer is needed" if old else "")


def _packages() -> Iterator[Sign]:
    try:
        wanted = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield Sign(DISTRIBUTION, "runs from source, not installed")
        return
    for requirement in map(Requirement, wanted):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield _package(requirement)


def _optional() -> Iterator[Sign]:
    for name, read in OPTIONAL.items():
        there = _installed(name)
        lack = f"none; `archc run` reads no {read}"
        remedy = "" if there else f"pip install {name}"
        yield Sign(name, metadata.version(name) if there else lack, help=remedy)


def _package(requirement: Requirement) -> Sign:
    remedy = f"pip install '{requirement.name}{requirement.specifier}'"
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return Sign(requirement.name, "is missing", True, remedy)
    if not requirement.specifier.contains(version, prereleases=True):
        return Sign(requirement.name, f"{version} is too old", True, remedy)
    return Sign(requirement.name, version)


def _namesake() -> Iterator[Sign]:
    """Another distribution, which detects CPUs, installs a package called `archspec` as well."""
    try:
        version = metadata.version("archspec")
    except metadata.PackageNotFoundError:
        return
    yield Sign(
        "archspec",
        f"the CPU-detection library archspec {version} is installed over our package",
        True,
        f"use another environment, or `pip uninstall archspec` and reinstall {DISTRIBUTION}",
    )


def _extensions() -> Iterator[Sign]:
    """Components that other packages add, and those that could not be."""
    from archspec.model.catalog import extensions

    for word, package in extensions().packages.items():
        yield Sign(f"component {word}", " ".join(package))
    for word, fault in extensions().faults.items():
        yield Sign(f"component {word}", fault, True, "update or uninstall that package")


def _runtimes() -> Iterator[Sign]:
    found = [name for name in RUNTIMES if _installed(name)]
    if len(found) == 2:
        yield Sign(
            "onnxruntime",
            "onnxruntime and onnxruntime-gpu overwrite each other",
            True,
            "uninstall both, then install one of them",
        )
    elif found and importlib.util.find_spec("onnxruntime"):
        import onnxruntime

        names = (name.removesuffix("ExecutionProvider") for name in _providers(onnxruntime))
        yield Sign("onnx providers", ", ".join(names))


def _providers(runtime: object) -> list[str]:
    return list(getattr(runtime, "get_available_providers", list)())


def _devices() -> Iterator[Sign]:
    """The driver's word on a device, and which of those who would use it can."""
    newness = compute_capability() if has_cuda_device() else None
    if newness is None:
        yield Sign("gpu", "none; the CPU does everything")
        return
    yield Sign("gpu", f"CUDA, compute capability {newness[0]}.{newness[1]}")
    if importlib.util.find_spec("onnxruntime"):
        why = obstacle()
        yield Sign("onnx on the gpu", why or "runs", help=INSTALL if why else "")
        found = has_cudnn()
        needed = "is missing, and convolutions, recurrences and some reductions need it"
        yield Sign("cudnn", "found" if found else needed, help="" if found else INSTALL)
    if importlib.util.find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            yield Sign("torch on the gpu", "runs")
            return
        remedy = "`pip install torch` from PyPI alone, without another index, brings a build for it"
        yield Sign("torch on the gpu", f"{torch.__version__} cannot use it", help=remedy)


def _folders() -> Iterator[Sign]:
    specs = Path("specs")
    yield Sign("specs/", "found here" if specs.is_dir() else "none here; any path will do")


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
