"""Recordings: frames as transformers makes them for Whisper, samples as they were written."""

import wave
from pathlib import Path

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.runtime.sound import RATE, log_mel, read_sound

SOUND = np.random.default_rng(0).normal(scale=0.2, size=3 * RATE).clip(-1, 1)


def write(
    path: Path, samples: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", **how: int
) -> Path:
    """A WAV file of samples [n] or [n, channels]."""
    width, rate = how.get("width", 2), how.get("rate", RATE)
    whole = np.round(samples * (2 ** (8 * width - 1) - 1)).astype("<i4")
    octets = whole.reshape(-1, 1).view(np.uint8).reshape(-1, 4)[:, :width].copy()
    if width == 1:
        octets += np.uint8(128)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(samples.shape[1] if samples.ndim > 1 else 1)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(octets.tobytes())
    return path


def at_no_rate(path: Path) -> Path:
    """A WAV file whose header gives 0 samples a second: bytes 24 to 27."""
    octets = bytearray(path.read_bytes())
    octets[24:28] = bytes(4)
    path.write_bytes(octets)
    return path


@pytest.mark.parametrize("mels", [80, 128])
def test_frames_are_those_of_transformers(mels: int) -> None:
    from transformers import WhisperFeatureExtractor

    extract = WhisperFeatureExtractor(feature_size=mels)
    wanted = extract(SOUND.astype("f4"), sampling_rate=RATE, return_tensors="np").input_features[0]
    found = log_mel(SOUND, mels)
    assert found.shape == (mels, 3000)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_samples_are_what_was_written(width: int, tmp_path: Path) -> None:
    both = np.stack([SOUND, SOUND[::-1]], axis=1)
    found = read_sound(write(tmp_path / "a.wav", both, width=width))
    np.testing.assert_allclose(found, both.mean(axis=1), atol=2 ** (2 - 8 * width))


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_a_tone_of_another_rate_is_the_same_tone(rate: int, tmp_path: Path) -> None:
    slow, wanted = (0.5 * np.sin(600 * np.pi * np.arange(n) / n) for n in (rate, RATE))
    found = read_sound(write(tmp_path / "a.wav", slow, rate=rate))
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_what_cannot_be_heard_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    for content in (b"", b"RIFF", b"\0" * 99):
        path.write_bytes(content)
        with pytest.raises(CannotAnswer, match="no WAV file"):
            read_sound(path)
    with pytest.raises(CannotAnswer, match="holds no sound"):
        read_sound(write(path, np.zeros(0)))
    with pytest.raises(CannotAnswer, match="16 bits a sample, 0 samples a second"):
        read_sound(at_no_rate(write(path, SOUND)))
    with pytest.raises(CannotAnswer, match=r"is 31 s long and the model hears 30 s"):
        read_sound(write(path, np.zeros(31 * RATE)))


def test_a_recording_that_was_cut_short_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", SOUND)
    path.write_bytes(path.read_bytes()[: 44 + RATE])
    with pytest.raises(CannotAnswer, match=r"ends after 0\.50 s of the 3\.00 s"):
        read_sound(path)
    octets = bytearray(write(path, SOUND).read_bytes())
    octets[16:20] = (2**31).to_bytes(4, "little")  # a part that ends beyond the file
    path.write_bytes(octets)
    with pytest.raises(CannotAnswer, match="no WAV file of whole numbers: it ends too early"):
        read_sound(path)


def test_a_stream_does_not_know_how_long_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", SOUND)
    wanted, octets = read_sound(path), bytearray(path.read_bytes())
    octets[4:8] = octets[40:44] = b"\xff" * 4  # as ffmpeg writes into a pipe
    path.write_bytes(octets)
    np.testing.assert_array_equal(read_sound(path), wanted)
    path.write_bytes(octets + bytes(2 * 28 * RATE))
    with pytest.raises(CannotAnswer, match="is more than 30 s long and the model hears 30 s"):
        read_sound(path)
