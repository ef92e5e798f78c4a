"""Files of recurrences in steps: their names, and that pieces and steps are the whole of torch."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from compiler.backends.onnx import DECODER, ENCODER, MODEL, emit
from compiler.backends.onnx.past import Carried
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import PORTABLE, Precision, Target
from compiler.passes.served import runs, served
from compiler.runtime.coupled import Coupled
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.examples import example
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights, onnx_session, parity
from tests.passes.test_carrying import CASES
from tests.passes.test_recurrent import PAIRS
from tests.verify.models import Mapping, made

EVERY = {**PAIRS, **CASES}
CPU = Target("cpu")


@pytest.mark.parametrize("target", [PORTABLE, CPU], ids=["portable", "cpu"])
@pytest.mark.parametrize("name", EVERY)
def test_whole_and_in_pieces_it_is_the_torch_source(name: str, target: Target) -> None:
    found = made(EVERY[name])
    check = parity(found, build(found.generated), target)
    assert check.ok, check


def test_the_names_of_two_files() -> None:
    encoder, decoder = served(made(PAIRS["a state and a cell"]).fused).values()
    one, two = unrolled(encoder), unrolled(decoder)
    assert list(one.taken()) == ["src", "src_mask"]
    assert list(one.given()) == ["present_state.dec.h", "present_state.dec.c"]
    assert list(two.taken()) == ["tgt", "past_state.dec.h", "past_state.dec.c"]
    assert list(two.given()) == ["logits", *one.given()]
    said = runs("encoder", encoder), runs("decoder", decoder)
    assert said == ("once for a source", "at every step")


def test_the_names_of_layers() -> None:
    (program,) = served(made(CASES["in turns"]).fused).values()
    found = unrolled(program)
    paths = [f"h.{n}.mix.rnn.{each}" for n in range(5) for each in ("h" if n % 2 else "hc")]
    assert list(found.past) == [f"past_state.{path}" for path in paths]
    assert list(found.present) == [f"present_state.{path}" for path in paths]
    assert runs("model", program) == "at every step"


def test_the_layers_of_a_folded_repeat() -> None:
    assert Carried("h.*.rnn.c").layer("0..12:2").names() == (
        "past_state.h.0..12:2.rnn.c",
        "present_state.h.0..12:2.rnn.c",
    )


def test_logits_are_of_the_last_position() -> None:
    for spec in (PAIRS["looking back"], CASES["in a stack"]):
        *_, program = served(made(spec).fused).values()
        logits = program.main.type(program.main.outputs["logits"])
        assert str(logits.shape[1]) == "1"


def opened(spec: Mapping, folder: Path) -> tuple[Session, dict[str, np.ndarray]]:
    """A small model in ONNX Runtime, and inputs for it."""
    found = made(spec)
    given = example(found.spec, found.program, 2, 7).values
    session = onnx_session(found.files, build(found.generated), folder)
    return session, {name: value.numpy() for name, value in given.items()}


def test_a_step_reads_no_earlier_position(tmp_path: Path) -> None:
    """Logits of every step by itself are those of all at once, and the source is read once."""
    session, given = opened(PAIRS["looking back"], tmp_path)
    assert isinstance(session, Coupled)
    whole, past = session.run(given)["logits"], None
    for t in range(7):
        outputs, past = session.step({**given, "tgt": given["tgt"][:, t : t + 1]}, past)
        np.testing.assert_allclose(outputs["logits"], whole[:, t : t + 1], atol=1e-5)
        given["src"] = np.zeros_like(given["src"])


def test_a_language_model_begins_with_zeros(tmp_path: Path) -> None:
    session, given = opened(CASES["layers of one"], tmp_path)
    ids = given["ids"]
    assert session.past == {"past_state.h.h": (2, "B", 12)}
    first, past = session.step({"ids": ids[:, :3]}, None)
    then, _ = session.step({"ids": ids[:, 3:]}, past)
    parts = np.concatenate((first["logits"], then["logits"]), axis=1)
    np.testing.assert_allclose(parts, session.run(given)["logits"], atol=1e-5)
    begun, _ = session.step({"ids": ids[:, :3]}, (np.zeros((2, 2, 12), np.float32),))
    assert np.array_equal(begun["logits"], first["logits"])


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_states_are_in_the_numbers_of_the_model(precision: Precision, tmp_path: Path) -> None:
    """What one file gives the other takes, step by step without a cast."""
    kinds = {"fp16": onnx.TensorProto.FLOAT16, "bf16": onnx.TensorProto.BFLOAT16}
    found = made(PAIRS["a state and a cell"])
    weights = lazy_weights(build(found.generated).state_dict())
    emit(served(found.fused), weights, tmp_path, target=Target("cuda", precision))
    for file in (ENCODER, DECODER):
        graph = onnx.load(tmp_path / file, load_external_data=False).graph
        states = [v for v in (*graph.input, *graph.output) if "_state." in v.name]
        assert {v.type.tensor_type.elem_type for v in states} == {kinds[precision]}
        assert len(states) == (2 if file == ENCODER else 4)


@pytest.mark.parametrize("name", ["looking back", "in turns"])
def test_the_files_are_well_formed(name: str, tmp_path: Path) -> None:
    found = made(EVERY[name])
    weights = lazy_weights(build(found.generated).state_dict())
    written = emit(served(found.fused), weights, tmp_path)
    files = [file for file in written.files if file.endswith(".onnx")]
    for file in files:
        onnx.checker.check_model(tmp_path / file, full_check=True)
    assert files == ([MODEL] if name == "in turns" else [ENCODER, DECODER])
    assert open_session(tmp_path, device="cpu").past
