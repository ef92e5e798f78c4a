"""Nothing that can stand in a file makes the reader slow, large or fall over."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAD = b"name: x\ninputs: {ids: tokens}\n"
GRAPH = b"graph:\n  tok: {embed: {vocab: 9, dim: 8}, in: ids}\n"
BOMB = b"a: &a [x, x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (c, c, b", ".join([b"*%c" % (c - 1)] * 10)) for c in b"bcdefghijklmnop"
)
MEASURE = """
import json, re, sys, time
import archspec
from archspec.source.render import render
started = time.process_time()
found = archspec.read(sys.argv[1], set=sys.argv[2:])
text = render(found) if isinstance(found, tuple) else ""
memory = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024
codes = [d.code for d in found] if text else []
print(json.dumps([codes, time.process_time() - started, memory]))
"""
HANG = (
    15  # seconds of a processor, which may be a slow one: a reader caught in a trap takes minutes
)
ATTACKS: dict[str, tuple[bytes, str]] = {
    "alias bomb": (BOMB, "AR0007"),
    "brackets": (b"about: " + b"[" * 30_000, "AR0006"),
    "braces": (b"about: " + b"{a: " * 12_000, "AR0006"),
    "closed brackets": (b"about: " + b"[" * 20_000 + b"]" * 20_000, "AR0006"),
    "block sequences": (b"about:\n " + b"- " * 20_000 + b"x\n", "AR0006"),
    "many values": (b"about: [" + b"1," * 30_000 + b"]\n", "AR0007"),
    "many keys": (
        HEAD + b"dims: {" + b", ".join(b"a%d: 1" % i for i in range(1900)) + b"}\n",
        "AR0101",
    ),
    "many errors": (
        HEAD + GRAPH + b"dims: {" + b", ".join(b"a%d: x" % i for i in range(1900)) + b"}\n",
        "AR0601",
    ),
    "many bad keys": (b"".join(b"namm%d: 1\n" % i for i in range(1900)), "AR0102"),
    "long chain": (
        HEAD
        + GRAPH
        + b"dims: {"
        + b", ".join(b"a%d: a%d" % (i, i + 1) for i in range(1900))
        + b"}\n",
        "AR0601",
    ),
    "digits": (HEAD + b"dims: {d: " + b"9" * 10_000 + b"}\n" + GRAPH, "AR0603"),
    "powers": (HEAD + b"dims: {d: 9**9**9**9}\n" + GRAPH, "AR0603"),
    "long string": (b"name: '" + b"x" * 60_000 + b"'\n", "AR0202"),
    "long key": (b"x" * 60_000 + b": 1\n", "AR0003"),
    "anchors": (b"".join(b"a%d: &a%d x\n" % (i, i) for i in range(1900)), "AR0102"),
    "self alias": (b"name: &a [*a]\n", "AR0003"),
    "question marks": (b"? " * 20_000, "AR0006"),
    "zero bytes": (b"\0" * 60_000, "AR0002"),
    "repeat": (
        HEAD + GRAPH + b"  h: {stack: {repeat: 1e9, layer: {a: {conv: {kernel: 3}}}}}\n",
        "AR0202",
    ),
    "percent": (b"%YAML 9.9\n---\nname: x\n", "AR0003"),
    "many nodes in a circle": (
        HEAD
        + b"graph:\n"
        + b"".join(b"  n%d: {norm: l2, in: n%d}\n" % (i, (i + 1) % 600) for i in range(600)),
        "AR0403",
    ),
    "a long tail of nodes": (
        HEAD
        + b"graph:\n"
        + b"".join(b"  n%d: {norm: l2, in: n%d}\n" % (i, i + 1) for i in range(600)),
        "AR0401",
    ),
}


def measured(path: Path, *patches: str) -> tuple[list[str], float, float]:
    command = [sys.executable, "-c", MEASURE, str(path), *patches]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    codes, seconds, memory = json.loads(done.stdout)
    return codes, seconds, memory


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks(name: str, tmp_path: Path) -> None:
    data, code = ATTACKS[name]
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    codes, seconds, memory = measured(path)
    assert code in codes
    assert seconds < HANG
    assert memory < 300


def test_a_hundred_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    with path.open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)
    codes, seconds, memory = measured(path)
    assert codes == ["AR0005"]
    assert seconds < HANG
    assert memory < 300


def test_an_endless_file() -> None:
    codes, seconds, memory = measured(Path("/dev/zero"))
    assert codes == ["AR0005"]
    assert seconds < HANG
    assert memory < 300


@pytest.mark.parametrize(
    "patch",
    [
        "d_model=9**9**9",
        "d_model=" + "9" * 9000,
        "h=" + "[" * 9000,
        "a." * 9000 + "b=1",
        "h.layer" * 999 + "=1",
    ],
)
def test_patches(patch: str) -> None:
    codes, seconds, memory = measured(ROOT / "specs" / "decoder" / "gpt2.yaml", patch)
    assert codes
    assert seconds < HANG
    assert memory < 300
