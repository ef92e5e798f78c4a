"""Buffers: the logits of a cache that grows, in place; a sequence beyond them is refused."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.backends.onnx import emit
from compiler.ir.target import Target
from compiler.runtime.buffers import Buffers
from compiler.runtime.continued import Continued
from compiler.runtime.generation import Wanted, generate
from compiler.runtime.opening import open_session
from compiler.runtime.roles import growing
from compiler.runtime.session import Session
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights
from tests.backends.onnx.seen_cases import FEATURES
from tests.generated.samples import small

if TYPE_CHECKING:
    from compiler.runtime.kept import Past

Array = Any
IDS = np.array([[3, 9, 4, 1, 8, 7, 2, 5, 6], [5, 1, 1, 6, 2, 9, 3, 4, 8]])
ENDS = (6, 7, 8, 9)
"""A prompt and three steps: the kernel goes on by one id a row."""


def opened(name: str, folder: Path, target: str = "cpu") -> Session:
    found = small(f"specs/decoder/{name}.yaml")
    weights = lazy_weights(build(found.generated).state_dict())
    emit(found.files, weights, folder, target=Target(target))  # type: ignore[arg-type]
    return open_session(folder, threads=1, device="cpu")


def stepped(session: Session, past: "Past | None") -> list[Array]:
    """The last logits [B, V] after each of ENDS, of two rows of which one has begun late."""
    found, begun = [], 0
    for end in ENDS:
        real = np.ones((2, end), np.int64)
        real[1, :2] = 0
        given = {"ids": IDS[:, begun:end], "ids_mask": real}
        outputs, past = session.step(given, past)
        found.append(outputs["logits"][:, -1])
        begun = end
    return found


@pytest.mark.parametrize("fixed", [False, True], ids=["", "fixed"])
@pytest.mark.parametrize("name", FEATURES)
def test_buffers_change_no_logits(name: str, fixed: bool, tmp_path: Path) -> None:
    """Nor do steps of one shape, as on a device: their masks are as long as the buffers."""
    session = opened(name, tmp_path)
    assert session.shares
    grown = stepped(session, None)
    session.fixed = fixed
    kept = stepped(session, session.buffers(2, 12))
    for ours, theirs in zip(kept, grown, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert not np.allclose(kept[0], kept[1])


def test_a_step_writes_where_the_last_one_wrote(tmp_path: Path) -> None:
    session = opened("llama3.1-8b", tmp_path)
    buffers = session.buffers(1, 6)
    places = {name: value.data_ptr() for name, value in buffers.values.items()}
    assert places.keys() == session.past.keys()
    past: Past = buffers
    for end in (1, 2, 3):
        ones = np.ones((1, end), np.int64)
        before = {name: value.numpy().copy() for name, value in buffers.values.items()}
        _, past = session.step({"ids": IDS[:1, end - 1 : end], "ids_mask": ones}, past)
        assert past is buffers
        for name, value in buffers.values.items():
            new = value.numpy()
            assert value.data_ptr() == places[name]
            assert np.array_equal(new[:, :, : end - 1], before[name][:, :, : end - 1])
            assert new[:, :, end - 1].any()
            assert not new[:, :, end:].any()


def test_what_is_longer_than_the_buffers_is_refused(tmp_path: Path) -> None:
    session = opened("llama3.1-8b", tmp_path)
    sequence = Continued(session, growing(session), {}, room=3)
    with pytest.raises(CannotAnswer, match="4 positions do not fit into a cache of 3"):
        sequence.logits(np.array([[1, 2, 3, 4]]))
    assert np.isfinite(sequence.logits(np.array([[1, 2, 3]]))).all()


def test_what_the_runtime_refuses_is_said(tmp_path: Path) -> None:
    session = opened("llama3.1-8b", tmp_path)
    sequence = Continued(session, growing(session), {}, room=3)
    with pytest.raises(CannotAnswer, match=r"cannot be run on .* out of data bounds"):
        sequence.logits(np.array([[10**6]]))


def test_a_cache_for_which_there_is_no_memory_is_refused(tmp_path: Path) -> None:
    session = opened("llama3.1-8b", tmp_path)
    with pytest.raises(CannotAnswer, match=f"no memory for a cache of {2**50} ids"):
        Continued(session, growing(session), {}, room=2**50)


def test_generation_is_made_in_buffers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened("llama3.1-8b", tmp_path)
    given, grows = {"ids": IDS[:1, :3]}, growing(session)
    rooms: list[int] = []
    buffers = Session.buffers

    def told(self: Session, batch: int, length: int) -> Buffers:
        rooms.append(length)
        return buffers(self, batch, length)

    monkeypatch.setattr(Session, "buffers", told)
    found = generate(session, given, grows, Wanted(5))
    assert rooms == [7]  # the last id is never read
    session.shares = False
    assert generate(session, given, grows, Wanted(5)) == found
    assert rooms == [7]


def test_a_portable_model_shares_nothing(tmp_path: Path) -> None:
    assert not opened("llama3.1-8b", tmp_path, "portable").shares
