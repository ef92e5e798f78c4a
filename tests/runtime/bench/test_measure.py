"""Measuring, on a clock that ticks once a look: what is run, how often, and what is counted."""

import itertools
from copy import deepcopy
from pathlib import Path
from typing import Any

import onnx
import pytest

from compiler.backends.onnx import MODEL, emit
from compiler.ir.target import Target
from compiler.runtime.bench.feed import feed, has_length
from compiler.runtime.bench.measure import measure
from compiler.runtime.opening import open_session
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights
from tests.lower.specs import encoder_decoder as translator
from tests.passes.test_recurrent import PAIRS
from tests.runtime.stepped import watch
from tests.verify.models import decoder, encoder, made

RUNS, STEPS = 5, 3


def folder(spec: dict[str, Any], place: Path, target: str = "cpu") -> Path:
    """A small model, built for a target."""
    found = made(spec)
    weights = lazy_weights(build(found.generated).state_dict())
    emit(found.files, weights, place, target=Target(target))  # type: ignore[arg-type]
    return place


def wide() -> dict[str, Any]:
    """A decoder whose heads are 8 wide, as the kernel with a shared cache wants them."""
    found = decoder()
    found["graph"]["tok"]["embed"]["dim"] = 32
    return found


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, Any], Any]]:
    """The shapes of all that sessions are given, with what was kept."""
    return watch(monkeypatch)


@pytest.mark.parametrize("target", ["cpu", "portable"])
def test_a_decoder_reads_a_prompt_and_makes_ids(
    target: str, tmp_path: Path, run: list[tuple[dict[str, Any], Any]]
) -> None:
    session = open_session(folder(wide(), tmp_path, target), threads=1, device="cpu")
    assert session.shares == (target == "cpu")
    ticks = itertools.count()
    found = measure(session, 2, 7, steps=STEPS, repeat=RUNS, clock=lambda: float(next(ticks)))
    shapes = [[shape["ids"][1] for shape, _ in run[i : i + 1 + STEPS]] for i in (0, 4, 8)]
    assert shapes == [[7, 1, 1, 1]] * 3
    assert len(run) == (RUNS + 1) * (1 + STEPS)
    if session.shares:
        assert len({id(past) for _, past in run}) == 1
        assert [shape["ids_mask"][1] for shape, _ in run[:4]] == [7, 8, 9, 10]
    assert found.first is not None
    assert found.decode is not None
    assert found.forward.seconds == (1.0,) * RUNS
    assert found.first.seconds == (3.0,) * RUNS  # from before the prompt until after the choice
    assert found.decode.seconds == (1.0,) * RUNS * STEPS
    assert set(found.document()) == {"prefill", "time_to_first_token", "decode"}


def test_any_other_model_reads_whole_inputs(
    tmp_path: Path, run: list[tuple[dict[str, Any], Any]]
) -> None:
    session = open_session(folder(encoder(), tmp_path), threads=1, device="cpu")
    ticks = itertools.count()
    found = measure(session, 3, 6, steps=9, repeat=RUNS, clock=lambda: float(next(ticks)))
    assert [shape["ids"] for shape, _ in run] == [(3, 6)] * (RUNS + 1)
    assert found.document() == {"forward": found.forward.document()}
    assert found.forward.document()["samples"] == RUNS
    assert has_length(session)


def test_other_peoples_names_are_understood(tmp_path: Path) -> None:
    folder(wide(), tmp_path)
    model = onnx.load(tmp_path / MODEL)
    del model.metadata_props[:]
    names = {"ids": "input_ids", "ids_mask": "attention_mask"}
    for each in model.graph.input:
        each.name = names.get(each.name, each.name)
    for node in model.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
    onnx.save(model, tmp_path / "other.onnx")
    session = open_session(tmp_path / "other.onnx", threads=1, device="cpu")
    assert not session.shares
    assert len(session.past) == 4
    given = feed(session, 2, 1, 9)
    shapes = {name: array.shape for name, array in given.items()}
    assert shapes == {"input_ids": (2, 1), "attention_mask": (2, 9)}
    ticks = itertools.count()
    found = measure(session, 2, 4, steps=2, repeat=RUNS, clock=lambda: float(next(ticks)))
    assert found.decode is not None
    assert len(found.decode.seconds) == 2 * RUNS


def test_a_source_may_have_fewer_words_than_the_logits(tmp_path: Path) -> None:
    """Of ids that a source has nothing tells how many there are; states grow with no position."""
    spec = deepcopy(PAIRS["a state"])
    spec["graph"]["s"]["embed"]["vocab"] = 2
    found = made(spec)
    emit(found.files, lazy_weights(build(found.generated).state_dict()), tmp_path)
    session = open_session(tmp_path, threads=1, device="cpu")
    ticks = itertools.count()
    times = measure(session, 2, 40, steps=STEPS, repeat=RUNS, clock=lambda: float(next(ticks)))
    assert times.decode is not None


def test_behind_an_encoder_the_source_is_read_once(
    tmp_path: Path, run: list[tuple[dict[str, Any], Any]]
) -> None:
    found = made(translator())
    weights = lazy_weights(build(found.generated).state_dict())
    emit(found.files, weights, tmp_path)
    session = open_session(tmp_path, threads=1, device="cpu")
    ticks = itertools.count()
    times = measure(session, 2, 7, steps=STEPS, repeat=RUNS, clock=lambda: float(next(ticks)))
    assert times.decode is not None
    one = [{"src": (2, 7), "src_mask": (2, 7)}]
    both = [{**one[0], "tgt": (2, length)} for length in (7, 1, 1, 1)]
    assert [shapes for shapes, _ in run] == [both[0], *one, *both[1:]] * (RUNS + 1)
