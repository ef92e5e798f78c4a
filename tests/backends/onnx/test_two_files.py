"""The files of an encoder and a decoder: what they take and give, with one place for weights."""

from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import pytest
import torch

from compiler.backends.onnx import DATA, DECODER, ENCODER, MODEL, emit_files
from compiler.passes.served import served
from compiler.runtime.session import Coupled, Session, open_session
from compiler.verify.examples import example
from compiler.verify.module import build, call
from compiler.verify.parity import lazy_weights, onnx_session, parity
from tests.passes.test_encoder_decoder import CASES
from tests.verify.models import made

WIDE: dict[str, Any] = {**CASES["plain"], "graph": {**CASES["plain"]["graph"]}}
WIDE["graph"]["a"] = {"embed": {"vocab": 900, "dim": 8}, "in": "src"}
KINDS = ("key", "value")
PAST = [f"past_key_values.{n}.{side}.{kind}" for side in ("encoder", "decoder")
        for n in range(2) for kind in KINDS]  # fmt: skip


def files(spec: dict[str, Any], folder: Path) -> dict[str, Session]:
    """Each file of a model by itself."""
    found = made(spec)
    weights = lazy_weights(build(found.generated).state_dict())
    emit_files(served(found.fused), weights, folder)
    return {name: open_session(folder / name, device="cpu") for name in (ENCODER, DECODER)}


@pytest.mark.parametrize("name", CASES)
def test_whole_and_in_pieces_it_is_the_torch_source(name: str) -> None:
    found = made(CASES[name])
    check = parity(found, build(found.generated))
    assert check.ok, check


def test_names_are_those_of_the_field(tmp_path: Path) -> None:
    found = files(CASES["plain"], tmp_path)
    runtimes = [onnxruntime.InferenceSession(tmp_path / name) for name in (ENCODER, DECODER)]
    takes, gives = (
        [[each.name for each in getattr(one, ask)()] for one in runtimes]
        for ask in ("get_inputs", "get_outputs")
    )
    present = [name.replace("past_key_values", "present") for name in PAST]
    assert takes == [["src", "src_mask"], ["tgt", "src_mask", *PAST]]
    assert gives == [["memory", *present[:4]], ["logits", *present[4:]]]
    assert found[ENCODER].outputs["present.0.encoder.key"] == ("B", 2, "S", 4)
    assert found[DECODER].outputs == {"logits": ("B", 1, 9)}
    assert not (tmp_path / MODEL).exists()


def test_a_table_of_both_lies_in_one_place(tmp_path: Path) -> None:
    files(WIDE, tmp_path)
    places = {}
    for name in (ENCODER, DECODER):
        onnx.checker.check_model(tmp_path / name, full_check=True)
        model = onnx.load(tmp_path / name, load_external_data=False)
        stored = {
            t.name: {e.key: e.value for e in t.external_data} for t in model.graph.initializer
        }
        places[name] = stored["a.weight"]
    assert places[ENCODER] == places[DECODER]
    assert places[ENCODER]["location"] == DATA
    size = sum(4 * p.numel() for p in build(made(WIDE).generated).parameters())
    assert (tmp_path / DATA).stat().st_size <= size + 4096


def test_the_source_is_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(CASES["memory too"])
    model = build(found.generated)
    session = onnx_session(found.files, model, tmp_path)
    assert isinstance(session, Coupled)
    given = example(found.spec, found.program, 2, 7)
    values = {name: value.numpy() for name, value in given.values.items()}
    ran: list[tuple[str, ...]] = []
    step = Session.step

    def told(self: Session, inputs: Any, past: Any) -> Any:
        ran.append(tuple(inputs))
        return step(self, inputs, past)

    monkeypatch.setattr(Session, "step", told)
    with torch.no_grad():
        memory, logits = call(model, given.values)
    past = None
    for t in range(7):
        outputs, past = session.step({**values, "tgt": values["tgt"][:, t : t + 1]}, past)
        assert list(outputs) == ["memory", "logits"]
        torch.testing.assert_close(torch.from_numpy(outputs["memory"]), memory, atol=1e-5, rtol=0)
        one = torch.from_numpy(outputs["logits"])
        torch.testing.assert_close(one, logits[:, t : t + 1], atol=1e-5, rtol=0)
    assert ran.count(("src", "src_mask")) == 1
    assert len(ran) == 8


def test_what_a_source_hides_before_its_first_place_is_hidden(tmp_path: Path) -> None:
    """Rows that are padded on the left attend as the same rows without."""
    found = made(CASES["plain"])
    session = onnx_session(found.files, build(found.generated), tmp_path)
    given = example(found.spec, found.program, 1, 5, padded=False).values
    plain = {name: value.numpy() for name, value in given.items()}
    none = torch.zeros(1, 3, dtype=torch.int64)
    moved = {
        "src": torch.cat((none, given["src"]), dim=1).numpy(),
        "src_mask": torch.cat((none.bool(), given["src_mask"]), dim=1).numpy(),
        "tgt": plain["tgt"],
    }
    one, two = (torch.from_numpy(session.run(each)["logits"]) for each in (plain, moved))
    torch.testing.assert_close(one, two, atol=1e-5, rtol=0)
