"""Pictures of pixels as PNG inside a page, and the colours of weights."""

import struct
import zlib
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy.typing as npt

LIGHT: Final = (255, 255, 255)
DARK: Final = (8, 48, 107)
LEVELS: Final = 256


def colour(level: int) -> tuple[int, int, int]:
    """The colour of a level from 0, white, to 255, dark blue."""
    parts = [a + (b - a) * level // (LEVELS - 1) for a, b in zip(LIGHT, DARK, strict=True)]
    return parts[0], parts[1], parts[2]


def levels_png(levels: "npt.NDArray[Any]") -> str:
    """Levels [rows, columns] of 0 to 255 as a data address, a pixel each."""
    palette = b"".join(bytes(colour(level)) for level in range(LEVELS))
    return _png(levels, 3, _chunk(b"PLTE", palette))


def photo_png(pixels: "npt.NDArray[Any]") -> str:
    """An image [3, rows, columns] of any numbers, stretched from its lowest to its highest, as a
    data address; other than three channels become grey."""
    import numpy as np

    if pixels.shape[0] != 3:
        pixels = np.repeat(pixels.mean(axis=0, keepdims=True), 3, axis=0)
    low, high = float(pixels.min()), float(pixels.max())
    shown = (pixels - low) / ((high - low) or 1.0) * 255
    return _png(shown.round().astype(np.uint8).transpose(1, 2, 0), 2)


def _png(rows: "npt.NDArray[Any]", kind: int, palette: bytes = b"") -> str:
    """PNG (ISO/IEC 15948) with eight bits a sample and no filter."""
    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, kind, 0, 0, 0)
    body = b"".join(b"\0" + row.tobytes() for row in rows)
    packed = _chunk(b"IDAT", zlib.compress(body, 9))
    whole = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + palette + packed + _chunk(b"IEND", b"")
    return f"data:image/png;base64,{b64encode(whole).decode()}"


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
