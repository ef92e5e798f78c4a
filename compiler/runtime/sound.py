"""A recording as the frames that Whisper hears: thirty seconds of log-mel energies."""

import wave
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.answer import CannotAnswer

if TYPE_CHECKING:
    from compiler.runtime.kept import Array

RATE: Final = 16_000
SECONDS: Final = 30
STREAMED: Final = 2**31 - 2**16
"""Bytes of sound that a header says where it was written before anybody knew how many."""
WINDOW, HOP = 400, 160
"""Samples of a frame, and from one to the next."""
FLOOR, RANGE = 1e-10, 8.0
"""The least energy, and how many powers of ten below the loudest are told apart."""


def read_sound(path: Path) -> "Array":
    """The samples of a WAV file, -1 to 1, 16 000 a second, all channels as one.

    Raises `CannotAnswer` for a file that is none, or is longer than thirty seconds.
    """
    import numpy as np

    try:
        with wave.open(str(path)) as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            if not rate or width > 4:
                raise wave.Error(f"{8 * width} bits a sample, {rate} samples a second")
            count, size = file.getnframes(), channels * width
            data = file.readframes(SECONDS * rate + 1)
    except (wave.Error, EOFError, RuntimeError) as error:  # the last of a part beyond the file
        said = str(error) or "it ends too early"
        raise CannotAnswer(f"`{path}` is no WAV file of whole numbers: {said}") from error
    held = len(data) // size
    known = count * size < STREAMED
    if held > SECONDS * rate:
        long = f"{count / rate:.6g}" if known else f"more than {SECONDS}"
        raise CannotAnswer(
            f"`{path}` is {long} s long and the model hears {SECONDS} s",
            "cut it into pieces and give them all",
        )
    if held < count and known:
        raise CannotAnswer(
            f"`{path}` ends after {held / rate:.2f} s of the {count / rate:.2f} s that it says",
            "the recording or the download was cut short",
        )
    octets = np.frombuffer(data[: len(data) // size * size], np.uint8).reshape(-1, channels, width)
    if not len(octets):
        raise CannotAnswer(f"`{path}` holds no sound")
    return _at_rate(_levels(octets).mean(axis=1), rate)


def log_mel(samples: "Array", mels: int) -> "Array":
    """Samples of at most thirty seconds as frames [mels, 3000].

    Power spectra of Hann windows, summed by `mels` triangles of area one on Slaney's scale, as
    logarithms (Radford et al. 2023, section 2.2).
    """
    import numpy as np

    whole = np.pad(samples, (0, SECONDS * RATE - len(samples)))
    around = np.pad(whole, WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(around, WINDOW)[::HOP][:-1]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    energies = np.abs(np.fft.rfft(frames * hann)) ** 2 @ _triangles(mels)
    found = np.log10(np.maximum(energies, FLOOR))
    scaled: Array = (np.maximum(found, found.max() - RANGE) + 4) / 4
    return np.ascontiguousarray(scaled.T, np.float32)


def _levels(octets: "Array") -> "Array":
    """Samples [n, channels] from their bytes, the lowest first; those of one byte lie about 128."""
    import numpy as np

    width = octets.shape[-1]
    if width == 1:
        return (octets[..., 0] - 128.0) / 128
    high = np.zeros((*octets.shape[:2], 4), np.uint8)
    high[..., 4 - width :] = octets
    levels: Array = high.view("<i4")[..., 0] / 2.0**31
    return levels


def _at_rate(samples: "Array", rate: int) -> "Array":
    """Samples at 16 000 a second, by their spectrum."""
    import numpy as np

    if rate == RATE:
        return samples
    length = max(1, round(len(samples) * RATE / rate))
    found: Array = np.fft.irfft(np.fft.rfft(samples), length) * (length / len(samples))
    return found


def _triangles(mels: int) -> "Array":
    """How much of each of 201 frequencies each of `mels` bands has, [201, mels]."""
    import numpy as np

    bins = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    corners = _hertz(np.linspace(0, _mel(RATE / 2), mels + 2))
    low, middle, high = corners[:-2], corners[1:-1], corners[2:]
    rising = (bins[:, None] - low) / (middle - low)
    falling = (high - bins[:, None]) / (high - middle)
    heights: Array = np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)
    return heights


def _mel(hertz: float) -> float:
    """Slaney's scale: 15 mels up to 1000 Hz, then 27 mels for a factor of 6.4."""
    import math

    return 15 + 27 * math.log(hertz / 1000, 6.4) if hertz > 1000 else hertz * 0.015


def _hertz(mel: "Array") -> "Array":
    import numpy as np

    found: Array = np.where(mel > 15, 1000 * 6.4 ** ((mel - 15) / 27), mel / 0.015)
    return found
