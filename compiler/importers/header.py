"""The header of a safetensors file, read with the suspicion a downloaded file deserves."""

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from archspec.source.frozen import Frozen
from compiler.importers.lazy import WORDS, width
from compiler.importers.printable import printable

LENGTH_BYTES = 8
LARGEST_HEADER = 100_000_000
"""Bytes; the limit of the safetensors library."""

LARGEST_SIZE = 2**63 - 1


class Entry(NamedTuple):
    """One tensor: type name, shape, and its bytes counted from the end of the header."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


class Header(Frozen):
    """The tensors of one file in file order, and where their bytes begin."""

    entries: Mapping[str, Entry]
    begin: int


class Damage(Frozen):
    """Why a file's header cannot be trusted, as a phrase; `unsupported` marks an unknown type."""

    reason: str
    unsupported: bool = False


class _RepeatedKeyError(ValueError):
    pass


def read_header(path: Path) -> Header | Damage:
    """Read and check the header of `path`: types, shapes, and bytes that tile the file exactly.

    Raises OSError where the file cannot be read.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(LENGTH_BYTES)
        if len(first) < LENGTH_BYTES:
            return Damage(f"the file has {size} bytes, too few for a header")
        length = int.from_bytes(first, "little")
        if length > LARGEST_HEADER:
            return Damage(f"the header claims {length} bytes; the format allows {LARGEST_HEADER}")
        if length > size - LENGTH_BYTES:
            return Damage(f"the header claims {length} bytes but the file ends after {size}")
        text = file.read(length)
    parsed = _parse(text)
    if isinstance(parsed, Damage):
        return parsed
    return _checked(parsed, LENGTH_BYTES + length, size - LENGTH_BYTES - length)


def _parse(text: bytes) -> dict[str, Any] | Damage:
    try:
        parsed = json.loads(text.decode("utf-8"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError:
        return Damage("the header is not UTF-8 text")
    except _RepeatedKeyError as error:
        return Damage(f"the header names `{printable(str(error))}` twice")
    except (ValueError, RecursionError):
        return Damage("the header is not JSON")
    if not isinstance(parsed, dict):
        return Damage("the header is not a JSON object")
    return parsed


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise _RepeatedKeyError(key)
        members[key] = value
    return members


def _checked(parsed: dict[str, Any], begin: int, available: int) -> Header | Damage:
    entries: dict[str, Entry] = {}
    for name, said in parsed.items():
        if name == "__metadata__":
            continue
        entry = _entry(said)
        if isinstance(entry, Damage):
            return Damage(f"tensor `{printable(name)}`: {entry.reason}", entry.unsupported)
        entries[name] = entry
    ordered = sorted(entries.items(), key=lambda item: (item[1].start, item[1].end))
    reached = 0
    for name, entry in ordered:
        if entry.start < reached:
            return Damage(f"tensor `{printable(name)}` overlaps the one before it")
        if entry.start > reached:
            return Damage(
                f"{entry.start - reached} bytes before `{printable(name)}` belong to no tensor"
            )
        reached = entry.end
    if reached > available:
        return Damage(f"the tensors need {reached} bytes but the file holds {available}")
    if reached < available:
        return Damage(f"{available - reached} bytes at the end belong to no tensor")
    return Header(dict(ordered), begin)


def _entry(said: Any) -> Entry | Damage:
    if not isinstance(said, dict) or set(said) != {"dtype", "shape", "data_offsets"}:
        return Damage("its entry is not dtype, shape and data_offsets")
    dtype, shape, offsets = said["dtype"], said["shape"], said["data_offsets"]
    if not _sizes(shape):
        return Damage("its shape is not a list of sizes")
    if not _sizes(offsets) or len(offsets) != 2:
        return Damage("its data_offsets are not two positions")
    if not isinstance(dtype, str) or dtype not in WORDS:
        return Damage(f"its type `{printable(str(dtype))}` is not known", unsupported=True)
    start, end = offsets
    needed = prod(shape) * width(dtype)
    if end - start != needed:
        return Damage(f"{dtype} {shape} needs {needed} bytes but it has {end - start}")
    return Entry(dtype, tuple(shape), start, end)


def _sizes(said: Any) -> bool:
    return isinstance(said, list) and all(type(n) is int and 0 <= n <= LARGEST_SIZE for n in said)
