"""Writing safetensors as a stream: the header first, then tensor after tensor in small pieces."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from compiler.importers.fusion import Fusion, fuse
from compiler.importers.hashed import File, hashed
from compiler.importers.lazy import WORDS, Lazy, width

ALIGNMENT = 8
METADATA = {"format": "pt"}
"""What transformers and others want to see before they load a file into torch."""


def write_safetensors(
    path: Path,
    parameters: Mapping[str, Lazy],
    fusions: Iterable[Fusion] = (),
    *,
    progress: Callable[[int], None] | None = None,
) -> File:
    """Write `parameters` (our names) to `path` as a generated module holds them.

    Returns the file's length and SHA-256. Wide types come first so that every tensor is aligned;
    among them the order stays. One tensor and a small buffer are in memory at most. `progress` is
    told the bytes of each piece. The caller syncs. Raises OSError where the file cannot be written.
    """
    tensors = fuse(parameters, fusions)
    ordered = dict(sorted(tensors.items(), key=lambda item: -width(item[1].dtype)))
    with hashed(path) as file:
        file.write(header_bytes(ordered))
        for tensor in ordered.values():
            for piece in tensor.pieces():
                file.write(piece.astype(WORDS[tensor.dtype], copy=False))
                if progress is not None:
                    progress(piece.nbytes)
        return file.measured()


def header_bytes(tensors: Mapping[str, Lazy]) -> bytes:
    """The length and the header of a file that holds `tensors` in this order."""
    said: dict[str, object] = {"__metadata__": METADATA}
    start = 0
    for name, tensor in tensors.items():
        end = start + tensor.nbytes
        said[name] = {
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
        start = end
    text = json.dumps(said, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text
