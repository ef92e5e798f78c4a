"""The files of an encoder and a decoder: what they take and give, with one place for weights."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
import torch

from compiler.backends.onnx import DATA, DECODER, ENCODER, MODEL, emit
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.passes.served import served
from compiler.runtime.coupled import Coupled
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.examples import example
from compiler.verify.module import build, call
from compiler.verify.parity import lazy_weights, onnx_session, parity
from tests.passes.test_encoder_decoder import CASES
from tests.runtime.stepped import watch
from tests.verify.models import made

WIDE: dict[str, Any] = {**CASES["plain"], "graph": {**CASES["plain"]["graph"]}}
WIDE["graph"]["a"] = {"embed": {"vocab": 900, "dim": 8}, "in": "src"}
Array = npt.NDArray[Any]
CPU = Target("cpu")
KINDS = ("key", "value")
PAST = [f"past_key_values.{n}.{side}.{kind}" for side in ("encoder", "decoder")
        for n in range(2) for kind in KINDS]  # fmt: skip


def wide(spec: dict[str, Any], dim: int = 16) -> dict[str, Any]:
    """The same with heads that are 8 wide, as the kernel that keeps keys itself wants them."""
    graph = {
        name: {**node, "embed": {**node["embed"], "dim": dim}}
        if "dim" in node.get("embed", {})
        else node
        for name, node in spec["graph"].items()
    }
    return {**spec, "graph": graph}


def files(spec: dict[str, Any], folder: Path) -> dict[str, Session]:
    """Each file of a model by itself."""
    found = made(spec)
    weights = lazy_weights(build(found.generated).state_dict())
    emit(served(found.fused), weights, folder)
    return {name: open_session(folder / name, device="cpu") for name in (ENCODER, DECODER)}


@pytest.mark.parametrize("target", [Target(), CPU], ids=["portable", "cpu"])
@pytest.mark.parametrize("name", CASES)
def test_whole_and_in_pieces_it_is_the_torch_source(name: str, target: Target) -> None:
    found = made(wide(CASES[name]))
    check = parity(found, build(found.generated), target)
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
    ran = watch(monkeypatch)
    with torch.no_grad():
        memory, logits = call(model, given.values)
    past = None
    for t in range(7):
        outputs, past = session.step({**values, "tgt": values["tgt"][:, t : t + 1]}, past)
        assert list(outputs) == ["memory", "logits"]
        torch.testing.assert_close(torch.from_numpy(outputs["memory"]), memory, atol=1e-5, rtol=0)
        one = torch.from_numpy(outputs["logits"])
        torch.testing.assert_close(one, logits[:, t : t + 1], atol=1e-5, rtol=0)
    assert [tuple(shapes) for shapes, _ in ran].count(("src", "src_mask")) == 1
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


def test_a_target_has_its_own_attentions() -> None:
    """Self-attention keeps its keys itself; without padding even a source needs no mask."""
    plain, bare = CASES["plain"], CASES["two sources"]
    for spec, over in ((plain, "Attention"), (bare, "MultiHeadAttention")):
        encoder, decoder = served(made(wide(spec)).fused).values()
        kinds, others = (
            [step.kind for step in unrolled(each, CPU).flat()] for each in (decoder, encoder)
        )
        assert kinds.count("GroupQueryAttention") == 2
        assert kinds.count(over) == len(decoder.crossing), "keys and values, each of two layers"
        assert {"Softmax", "MatMul", "Tile"}.isdisjoint((*kinds, *others))


@pytest.mark.parametrize("side", ["left", "right"])
def test_rows_of_a_batch_are_padded_on_either_side(side: str, tmp_path: Path) -> None:
    """Each gives what it gives alone, as it is read and at the steps that go on."""
    found = made(wide(CASES["plain"]))
    model = build(found.generated)
    session = onnx_session(found.files, model, tmp_path, CPU)
    draw = np.random.default_rng(1)
    rows = [draw.integers(0, 9, (1, length)) for length in (5, 3)]
    sources = [draw.integers(0, 9, (1, length)) for length in (4, 6)]
    alone = []
    for ids, read in zip(rows, sources, strict=True):
        values = {"src": read, "src_mask": np.ones(read.shape, bool), "tgt": ids}
        with torch.no_grad():
            (logits,) = call(model, {name: torch.from_numpy(v) for name, v in values.items()})
        alone.append(logits[0].numpy())
    begun = [pad(ids[:, :-1], 4, side) for ids in rows]
    given = [pad(read, 6, side) for read in sources]
    src, seen = (np.concatenate([pair[at] for pair in given]) for at in (0, 1))
    tgt, mask = (np.concatenate([pair[at] for pair in begun]) for at in (0, 1))
    source = {"src": src, "src_mask": seen.astype(bool)}
    outputs, past = session.step({**source, "tgt": tgt, "tgt_mask": mask}, None)
    for row, wanted in enumerate(alone):
        np.testing.assert_allclose(outputs["logits"][row][mask[row] == 1], wanted[:-1], atol=1e-5)
    last = np.concatenate([ids[:, -1:] for ids in rows])
    mask = np.concatenate((mask, np.ones((2, 1), np.int64)), axis=1)
    outputs, _ = session.step({**source, "tgt": last, "tgt_mask": mask}, past)
    for row, wanted in enumerate(alone):
        np.testing.assert_allclose(outputs["logits"][row], wanted[-1:], atol=1e-5)


def pad(ids: Array, length: int, side: str) -> tuple[Array, Array]:
    """Ids and their mask, made as long as `length` on one side."""
    spare = length - ids.shape[1]
    ends = ((0, 0), (spare, 0) if side == "left" else (0, spare))
    return np.pad(ids, ends), np.pad(np.ones_like(ids), ends)


@pytest.mark.parametrize("precision", ["int8", "int4"])
def test_a_rounded_table_of_both_lies_in_one_place(precision: str, tmp_path: Path) -> None:
    found = made(wide(WIDE, 128))
    weights = lazy_weights(build(found.generated).state_dict())
    target = Target("cpu", precision)  # type: ignore[arg-type]  # the parameter is one of them
    emit(found.files, weights, tmp_path, target=target)
    places: dict[str, set[str]] = {}
    for name in (ENCODER, DECODER):
        for each in onnx.load(tmp_path / name, load_external_data=False).graph.initializer:
            if each.name.startswith("a.weight"):
                part = "scales" if each.name.endswith("scales") else "codes"
                entries = {entry.key: entry.value for entry in each.external_data}
                places.setdefault(part, set()).add(entries["offset"])
    assert [len(found) for found in places.values()] == [1, 1]
