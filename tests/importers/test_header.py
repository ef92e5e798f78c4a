import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from compiler.importers.header import LARGEST_HEADER, Damage, Header, read_header
from tests.importers.samples import Array

ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def file_of(path: Path, header: bytes, body: bytes = b"\0" * 8, length: int | None = None) -> Path:
    path.write_bytes(struct.pack("<Q", len(header) if length is None else length) + header + body)
    return path


def said(**tensors: Any) -> bytes:
    return json.dumps(tensors).encode()


def test_entries_are_what_the_library_wrote(tmp_path: Path) -> None:
    arrays: dict[str, Array] = {
        "b": np.ones((2, 3), np.float32),
        "a": np.ones(5, np.int64),
        "c": np.ones((), np.float16),
    }
    save_file(arrays, tmp_path / "m.safetensors", {"note": "kept"})
    header = read_header(tmp_path / "m.safetensors")
    assert isinstance(header, Header)
    shapes = {name: (entry.dtype, entry.shape) for name, entry in header.entries.items()}
    assert shapes == {"b": ("F32", (2, 3)), "a": ("I64", (5,)), "c": ("F16", ())}


BROKEN = {
    "no header": b"\1\2\3",
    "length past the end": struct.pack("<Q", 1 << 20) + b"{}",
    "huge length": struct.pack("<Q", 1 << 63) + b"{}",
}
HEADERS = {
    "not UTF-8": b'{"\xff": 1}',
    "not JSON": b"{nonsense",
    "a list": b"[]",
    "deep nesting": b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "repeated": b'{"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8]},'
    b'"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
    "entry is a number": said(a=3),
    "no shape": said(a={"dtype": "F32", "data_offsets": [0, 8]}),
    "negative size": said(a={**ONE, "shape": [-2]}),
    "size is true": said(a={**ONE, "shape": [True, 2]}),
    "size is text": said(a={**ONE, "shape": ["2"]}),
    "shape too large": said(a={**ONE, "shape": [3]}),
    "product overflows": said(a={**ONE, "shape": [1 << 62, 1 << 62, 4]}),
    "integer of 5000 digits": said(a=ONE).replace(b"[2]", b"[" + b"9" * 5000 + b"]"),
    "three offsets": said(a={**ONE, "data_offsets": [0, 4, 8]}),
    "backward offsets": said(a={**ONE, "data_offsets": [8, 0]}),
    "past the end": said(a={**ONE, "shape": [4], "data_offsets": [0, 16]}),
    "overlap": said(a=ONE, b=ONE),
    "hole": said(a={**ONE, "shape": [1], "data_offsets": [4, 8]}),
    "bytes left over": said(a={**ONE, "shape": [1], "data_offsets": [0, 4]}),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_file_without_a_header_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes(content)
    assert isinstance(read_header(path), Damage)
    assert refused_by_the_library(path)


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_header_that_lies_is_damaged(tmp_path: Path, header: bytes) -> None:
    path = file_of(tmp_path / "m.safetensors", header)
    damage = read_header(path)
    assert isinstance(damage, Damage)
    assert not damage.unsupported
    assert len(damage.reason) < 300
    assert refused_by_the_library(path) or header is HEADERS["repeated"]


def refused_by_the_library(path: Path) -> bool:
    try:
        with safe_open(path, "np") as file:
            list(file.keys())
    except SafetensorError:
        return True
    return False


def test_an_unknown_type_is_unsupported_not_damaged(tmp_path: Path) -> None:
    path = file_of(tmp_path / "m.safetensors", said(a={**ONE, "dtype": "F3"}))
    assert read_header(path) == Damage("tensor `a`: its type `F3` is not known", unsupported=True)


def test_the_limit_is_before_the_read(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", LARGEST_HEADER + 1))
        file.truncate(LARGEST_HEADER + 100)
    damage = read_header(path)
    assert isinstance(damage, Damage)
    assert str(LARGEST_HEADER) in damage.reason


def test_names_are_escaped_before_they_are_shown(tmp_path: Path) -> None:
    path = file_of(tmp_path / "m.safetensors", json.dumps({"\x1b[31m\n": 3}).encode())
    damage = read_header(path)
    assert isinstance(damage, Damage)
    assert damage.reason.isprintable()


def test_every_single_damaged_byte_is_refused_or_harmless(tmp_path: Path) -> None:
    save_file({"a": np.ones(3, np.float32), "b": np.ones((2, 2), np.float32)}, tmp_path / "m")
    good = (tmp_path / "m").read_bytes()
    for place in range(len(good) - 28):
        for flip in (1, 0x80):
            changed = bytearray(good)
            changed[place] ^= flip
            (tmp_path / "x").write_bytes(changed)
            header = read_header(tmp_path / "x")
            if isinstance(header, Header):
                assert sum(e.end - e.start for e in header.entries.values()) == 28
