"""Empty libraries in the place of CUDA's, with which the GPU build of ONNX Runtime loads anywhere.

Its registry of kernels is filled when its provider's library is loaded, and that asks for CUDA's
libraries and not for a device.
"""

import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

THEIRS: Final = ("libcu", "libnv")
"""How the names of libraries begin that stand for a device."""

IN_PLACE: Final = {"Provider_GetHost"}
"""Symbols without a library that the runtime itself brings."""


def write_stubs(folder: Path, runtime: Path) -> None:
    """Write into `folder` a stub of every library of CUDA that the providers in `runtime` need.

    Raises FileNotFoundError where gcc or binutils are not there.
    """
    wanted: dict[str, set[str]] = defaultdict(set)
    loose: set[str] = set()
    for provider in sorted(runtime.glob("libonnxruntime_providers_*.so")):
        for name in _needed(provider):
            wanted[name].update()
        for symbol, library in _undefined(provider):
            (wanted[library] if library.startswith(THEIRS) else loose).add(symbol)
    for name, symbols in wanted.items():
        _write_stub(folder, name, symbols, loose - IN_PLACE)


def _write_stub(folder: Path, name: str, symbols: set[str], loose: set[str]) -> None:
    """One library: its symbols bear its name as their version, `loose` ones none."""
    source, script = folder / f"{name}.c", folder / f"{name}.map"
    functions = sorted(symbols | loose)
    source.write_text("".join(f"int {each}(void) {{ return 0; }}\n" for each in functions))
    versioned = "".join(f"  {each};\n" for each in sorted(symbols))
    script.write_text(f"{name} {{\n{versioned}}};\n" if symbols else "")
    options = [f"-Wl,-soname,{name}", *([f"-Wl,--version-script,{script}"] if symbols else ())]
    _said("gcc", "-shared", "-w", "-fno-builtin", *options, "-o", folder / name, source)


def _needed(library: Path) -> Iterator[str]:
    for line in _said("readelf", "-dW", library).splitlines():
        if "(NEEDED)" in line:
            name = line.partition("[")[2].rstrip("]")
            if name.startswith(THEIRS):
                yield name


def _undefined(library: Path) -> Iterator[tuple[str, str]]:
    """Symbols that others must bring, those of CUDA and those of no library."""
    for line in _said("nm", "-D", "--undefined-only", library).splitlines():
        kind, said = line.split()[-2:]
        symbol, _, version = said.partition("@")
        if version.startswith(THEIRS) or (kind == "U" and not version):
            yield symbol, version


def _said(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout
