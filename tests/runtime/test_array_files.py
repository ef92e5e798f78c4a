"""Files of arrays: as numpy writes them, and damaged in every way that makes its reader stumble."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.runtime.array_files import read_array, read_arrays

IDS = np.arange(6).reshape(2, 3)
BEGIN = b"\x93NUMPY\x01\x00"


def octets(header: bytes) -> bytes:
    """An .npy file with this header, right or wrong, and hardly anything behind it."""
    whole = header.ljust(117) + b"\n"
    return BEGIN + len(whole).to_bytes(2, "little") + whole + bytes(16)


def of_shape(shape: str) -> bytes:
    return octets(f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".encode())


DAMAGED = {
    "nothing": b"",
    "text": b"hello",
    "cut before its header": BEGIN,
    "no such version": b"\x93NUMPY\x09" + bytes(99),
    "a header that is no Python": octets(b"{'descr': '<i8', ((("),
    "less than nothing": of_shape("(-1, 3)"),
    "more than there is": of_shape("(7, 3)"),
    "more than any memory": of_shape("(999999999, 9999999)"),
}


def test_arrays_come_back_from_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "given.npz", ids=IDS, x=np.eye(2))
    found = read_arrays(tmp_path / "given.npz")
    assert set(found) == {"ids", "x"}
    assert np.array_equal(found["ids"], IDS)
    np.save(tmp_path / "one.npy", IDS)
    assert np.array_equal(read_array(tmp_path / "one.npy"), IDS)


def test_files_that_are_no_archive_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "given.npz"
    with pytest.raises(CannotAnswer, match="no file"):
        read_arrays(path)
    for content in (b"", b"PK\3\4 cut", b"\0\1\2"):
        path.write_bytes(content)
        with pytest.raises(CannotAnswer, match=r"no \.npz"):
            read_arrays(path)
    np.save(tmp_path / "one.npy", IDS)
    with pytest.raises(CannotAnswer, match=r"no \.npz"):
        read_arrays(tmp_path / "one.npy")


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_arrays_are_refused(content: bytes, tmp_path: Path) -> None:
    alone, among = tmp_path / "a.npy", tmp_path / "a.npz"
    alone.write_bytes(content)
    with zipfile.ZipFile(among, "w") as archive:
        archive.writestr("ids.npy", content)
    with pytest.raises(CannotAnswer, match=r"`.*a\.npy` (is no|has arrays too large)"):
        read_array(alone)
    with pytest.raises(CannotAnswer, match=r"a\.npz` (is no|has arrays too large)|no array"):
        read_arrays(among)


def test_what_would_run_code_is_refused(tmp_path: Path) -> None:
    thing = np.array([{"a": 1}], dtype=object)
    np.savez(tmp_path / "a.npz", thing=thing)
    np.save(tmp_path / "a.npy", thing)
    with pytest.raises(CannotAnswer, match=r"no \.npz"):
        read_arrays(tmp_path / "a.npz")
    with pytest.raises(CannotAnswer, match=r"no \.npy"):
        read_array(tmp_path / "a.npy")


def flag(archive: bytearray) -> None:
    archive[archive.find(b"PK\1\2") + 8] |= 1


def method(archive: bytearray) -> None:
    archive[archive.find(b"PK\1\2") + 10] = 99


def compressed(archive: bytearray) -> None:
    start = archive.find(b"ids.npy") + 40
    archive[start : start + 40] = bytes(range(200, 240))


@pytest.mark.parametrize("damage", [flag, method, compressed])
def test_damaged_archives_are_refused(damage: object, tmp_path: Path) -> None:
    assert callable(damage)
    made = io.BytesIO()
    np.savez_compressed(made, ids=np.random.default_rng(0).integers(0, 50, 300))
    archive = bytearray(made.getvalue())
    damage(archive)
    (tmp_path / "a.npz").write_bytes(archive)
    with pytest.raises(CannotAnswer, match=r"a\.npz` is no \.npz file of arrays: \S"):
        read_arrays(tmp_path / "a.npz")


def test_an_archive_of_other_things_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("ids.txt", "1,2")
    with pytest.raises(CannotAnswer, match=r"`ids\.txt` in .* is no array"):
        read_arrays(tmp_path / "a.npz")
