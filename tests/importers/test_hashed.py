"""The length and hash taken while writing are those of the file that is read back."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.hashed import hashed


@given(st.lists(st.one_of(st.binary(max_size=300), st.integers(0, 300)), max_size=9))
def test_what_is_measured_is_what_stands_there(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes | int]
) -> None:
    """A number stands for an array of that many counted numbers."""
    path = tmp_path_factory.mktemp("hashed") / "file"
    with hashed(path) as file:
        for piece in pieces:
            file.write(piece if isinstance(piece, bytes) else np.arange(piece, dtype="<f4"))
            assert file.bytes == file.measured().bytes
        measured = file.measured()
    whole = b"".join(
        piece if isinstance(piece, bytes) else np.arange(piece, dtype="<f4").tobytes()
        for piece in pieces
    )
    assert path.read_bytes() == whole
    assert (measured.bytes, measured.sha256) == (len(whole), sha256(whole).hexdigest())


def test_pieces_larger_than_any_buffer_keep_their_order(tmp_path: Path) -> None:
    pieces = [np.full(1 << 20, number, "<f4") for number in range(5)]
    with hashed(tmp_path / "file") as file:
        for piece in pieces:
            file.write(piece)
        measured = file.measured()
    whole = np.concatenate(pieces).tobytes()
    assert measured.sha256 == sha256(whole).hexdigest()
    assert (tmp_path / "file").read_bytes() == whole


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_full_disk_is_an_error_before_the_file_is_called_whole(size: int) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(OSError, match="No space left"), hashed(Path("/dev/full")) as file:
        file.write(np.zeros(size, "<f4"))
        file.measured()
