"""Where sequences have ended the next ones go on; what a device captures for them has an end."""

import gc
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from compiler.runtime import replay
from compiler.runtime.ended import MOST, Ended
from compiler.runtime.places import Places
from compiler.runtime.replay import NEVER, graph_numbers
from compiler.runtime.session import Session
from compiler.runtime.values import zeros
from tests.runtime.test_buffers import IDS, opened, stepped


@pytest.fixture
def capturing(tmp_path: Path) -> Session:
    """A session on the processor that goes on as one on a device does: its provider does not heed
    the numbers of launches."""
    found = opened("llama3.1-8b", tmp_path)
    found.captures, found.fixed = True, True
    return found


def places(count: int) -> list[Places]:
    return [cast("Places", object()) for _ in range(count)]


def test_the_latest_of_a_size_are_kept() -> None:
    ended, (a, b, c) = Ended(), places(3)
    ended.give((1, 8), a)
    ended.give((2, 8), b)
    assert ended.take((2, 9)) is None
    assert ended.take((2, 8)) is b
    assert ended.take((2, 8)) is None
    ended.give((3, 3), c)
    ended.give((2, 8), b)
    assert MOST == 2
    assert ended.take((1, 8)) is None, "it ended first"
    ended.drop()
    assert ended.take((2, 8)) is None


def test_a_sequence_goes_on_where_one_of_its_size_has_ended(capturing: Session) -> None:
    first = capturing.buffers(2, 12)
    where = {name: value.data_ptr() for name, value in first.values.items()}
    beside = capturing.buffers(2, 12)
    assert beside.places is not first.places, "a sequence on its way keeps its places"
    wanted = stepped(capturing, first)
    del first
    gc.collect()
    again = capturing.buffers(2, 12)
    assert {name: value.data_ptr() for name, value in again.values.items()} == where
    assert not any(value.numpy().any() for value in again.values.values())
    for ours, theirs in zip(stepped(capturing, again), wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert capturing.buffers(2, 13).places is not again.places


def test_many_sequences_of_a_size_take_one_number(capturing: Session) -> None:
    given = {"ids": IDS[:1, :1], "ids_mask": np.ones((1, 1), np.int64)}
    for _ in range(5):
        capturing.step(given, capturing.buffers(1, 4))
    assert capturing._graphs() == 2


def test_where_memory_is_short_what_has_ended_goes_first(
    capturing: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    capturing.buffers(1, 4)
    gc.collect()

    def short(*asked: object) -> object:
        if capturing._ended._kept:
            raise MemoryError("no room")
        return zeros(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr("compiler.runtime.session.zeros", short)
    assert capturing.buffers(1, 8).length == 8


def test_launches_are_captured_so_often_and_then_no_more() -> None:
    number = graph_numbers()
    found = [number() for _ in range(replay.MOST + 3)]
    assert found == [*range(1, replay.MOST + 1), NEVER, NEVER, NEVER]
