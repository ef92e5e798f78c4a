"""What a decoder keeps, in its model file: names, shapes and their pairs."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from compiler.backends.onnx import PAST, emit, onnx_text
from compiler.backends.onnx.past import Past
from compiler.runtime.opening import open_session
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights, onnx_session
from tests.verify.models import decoder, made


def test_names_are_those_of_the_field() -> None:
    assert Past().layer("3").names("key") == ("past_key_values.3.key", "present.3.key")
    assert Past("4").layer("1..7:2").layers == "5..11:2"


def test_a_file_has_an_input_and_an_output_for_each_layer(tmp_path: Path) -> None:
    found = made(decoder())
    emit(found.files, None, tmp_path)
    model = onnx.load(tmp_path / "model.onnx", load_external_data=False)
    kinds = [f"{layer}.{kind}" for layer in (0, 1) for kind in ("key", "value")]
    assert [i.name for i in model.graph.input] == ["ids", *(f"past_key_values.{k}" for k in kinds)]
    assert [o.name for o in model.graph.output] == ["logits", *(f"present.{k}" for k in kinds)]
    (pairs,) = (each.value for each in model.metadata_props if each.key == PAST)
    assert pairs.split()[0] == "past_key_values.0.key=present.0.key"
    dims = model.graph.input[1].type.tensor_type.shape.dim
    assert [each.dim_param or each.dim_value for each in dims] == ["B", 2, "C", 4]


def test_the_text_says_how_many_layers_keep_it() -> None:
    assert "input past_key_values.0..2.key: float32[B, 2, C, 4] x 2" in onnx_text(
        made(decoder()).whole
    )


@pytest.mark.parametrize("cuts", [(7,), (3, 4), (1,) * 7])
def test_the_cache_is_what_was_kept(cuts: tuple[int, ...], tmp_path: Path) -> None:
    found = made(decoder())
    session = onnx_session(found.files, build(found.generated), tmp_path)
    ids = np.random.default_rng(1).integers(0, 31, (2, 7))
    whole, kept = session.step({"ids": ids}, None)
    assert isinstance(kept, tuple)
    assert [each.shape for each in kept] == [(2, 2, 7, 4)] * 4
    past, start, pieces = None, 0, []
    for cut in cuts:
        outputs, past = session.step({"ids": ids[:, start : start + cut]}, past)
        pieces.append(outputs["logits"])
        start += cut
    assert isinstance(past, tuple)
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), whole["logits"], atol=1e-5)
    for one, other in zip(past, kept, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_positions_beyond_a_learned_table_are_an_error(tmp_path: Path) -> None:
    found = made(decoder(positions={"learned": 8}))
    weights = lazy_weights(build(found.generated).state_dict())
    emit(found.files, weights, tmp_path)
    session = open_session(tmp_path, device="cpu")
    _, past = session.step({"ids": np.zeros((1, 7), np.int64)}, None)
    with pytest.raises(Exception, match="out of data bounds"):
        session.step({"ids": np.zeros((1, 2), np.int64)}, past)
