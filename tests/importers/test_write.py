import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file
from safetensors.torch import load_file as load_torch
from safetensors.torch import save_file as save_torch

from compiler.importers.draw import drawn
from compiler.importers.fusion import Fusion
from compiler.importers.write import write_safetensors
from compiler.ir.init import Init
from tests.importers.samples import Array, counted, held, opened

KINDS = st.sampled_from(["f2", "f4", "f8", "i8"])
SHAPES = st.lists(st.integers(0, 4), max_size=3)


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.tuples(KINDS, SHAPES), max_size=5))
def test_the_library_reads_what_we_write(
    tmp_path_factory: pytest.TempPathFactory, tensors: dict[str, tuple[str, list[int]]]
) -> None:
    tensors.pop("__metadata__", None)
    arrays = {name: counted(*shape).astype(kind) for name, (kind, shape) in tensors.items()}
    path = tmp_path_factory.mktemp("w") / "m.safetensors"
    written = write_safetensors(path, held(arrays))
    assert written.bytes == path.stat().st_size
    assert written.sha256 == sha256(path.read_bytes()).hexdigest()
    theirs = load_file(path)
    assert set(theirs) == set(arrays)
    for name, array in arrays.items():
        assert theirs[name].dtype == array.dtype
        np.testing.assert_array_equal(theirs[name], array)


def test_what_the_library_wrote_goes_through_unchanged(tmp_path: Path) -> None:
    tensors = {
        "a": torch.randn(5, 3).to(torch.bfloat16),
        "b": torch.randn(4),
        "c": torch.randn(2).half(),
        "d": torch.randn(3, 3).to(torch.float8_e4m3fn),
    }
    save_torch(tensors, tmp_path / "m.safetensors")
    write_safetensors(tmp_path / "w.safetensors", opened(tmp_path / "m.safetensors"))
    theirs = load_torch(tmp_path / "w.safetensors")
    for name, tensor in tensors.items():
        assert theirs[name].dtype == tensor.dtype
        assert torch.equal(theirs[name].view(torch.uint8), tensor.view(torch.uint8))


def test_fused_names_are_written_and_turned_tensors_are_laid_out(tmp_path: Path) -> None:
    parts: dict[str, Array] = {"q.weight": counted(3, 2).T, "k.weight": counted(4, 3)}
    fusions = [Fusion("qk", ("q", "k"))]
    write_safetensors(tmp_path / "m.safetensors", held(parts), fusions)
    theirs = load_file(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(theirs["qk.weight"], np.concatenate(list(parts.values())))


def test_every_tensor_is_aligned_and_the_order_is_kept(tmp_path: Path) -> None:
    arrays = {
        "h": counted(3).astype("f2"),
        "b": counted(3),
        "a": counted(5),
        "d": counted(1).astype("f8"),
    }
    write_safetensors(tmp_path / "m.safetensors", held(arrays))
    content = (tmp_path / "m.safetensors").read_bytes()
    places = {
        name: content.index(array.tobytes(), content.rindex(b"}")) for name, array in arrays.items()
    }
    assert sorted(places, key=lambda name: places[name]) == ["d", "b", "a", "h"]
    assert all(place % arrays[name].itemsize == 0 for name, place in places.items())


def test_progress_adds_up_to_the_tensors(tmp_path: Path) -> None:
    told: list[int] = []
    shapes = {"a": (3_000, 1_000)}
    sources = drawn(shapes, {"a": Init("ones")})
    write_safetensors(tmp_path / "m.safetensors", sources, progress=told.append)
    assert sum(told) == 12_000_000
    assert len(told) > 1


def test_two_writes_are_byte_identical(tmp_path: Path) -> None:
    shapes = {"a": (30, 10), "b": (7,)}
    for name in ("one", "two"):
        write_safetensors(
            tmp_path / name, drawn(shapes, dict.fromkeys(shapes, Init("normal", 0.02)))
        )
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


PEAK = """
import resource, sys
from pathlib import Path
import numpy
from compiler.importers.checkpoint import open_checkpoint
from compiler.importers.draw import drawn
from compiler.importers.fusion import Fusion
from compiler.importers.write import write_safetensors
from compiler.ir.init import Init

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

folder = Path(sys.argv[1])
shapes = {f"h.{n}.{part}.weight": (1024, 4096) for n in range(8) for part in "qkv"}
fusions = [Fusion(f"h.{n}.qkv", tuple(f"h.{n}.{p}" for p in "qkv")) for n in range(8)]
tiny = {"a": (8, 8)}
write_safetensors(folder / "tiny", drawn(tiny, {"a": Init("normal", 1.0)}))
before = peak()
write_safetensors(folder / "m", drawn(shapes, dict.fromkeys(shapes, Init("normal", 1.0))), fusions)
drawn_peak = peak() - before
write_safetensors(folder / "n", dict(open_checkpoint(folder / "m")))
print(drawn_peak, peak() - before, "torch" in sys.modules)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
def test_memory_stays_below_one_tensor_and_a_buffer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PEAK, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    drawn_peak, copied_peak, torch_imported = done.stdout.split()
    one_fused_tensor = 3 * 1024 * 4096 * 4
    assert (tmp_path / "m").stat().st_size > 8 * one_fused_tensor
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    assert int(drawn_peak) < 48 << 20
    assert int(copied_peak) < one_fused_tensor + (32 << 20)
    assert torch_imported == "False"


def test_a_full_disk_is_the_callers_to_handle(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(OSError, match="No space left"):
        write_safetensors(Path("/dev/full"), held({"a": counted(1 << 20)}))


def test_the_library_and_we_hold_the_same_bytes(tmp_path: Path) -> None:
    arrays = {"a": counted(4, 2), "b": counted(3)}
    save_file(arrays, tmp_path / "theirs", {"format": "pt"})
    write_safetensors(tmp_path / "ours", held(arrays))
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
