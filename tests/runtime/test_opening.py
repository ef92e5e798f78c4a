"""Folders that hold no model, and where one may be meant; what a file says of its cache; devices
that cannot be used."""

from pathlib import Path

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.backends.onnx import MODEL, emit
from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.runtime import opening
from compiler.runtime.opening import PROPERTIES, model_files, open_session, says_shared
from tests.pipeline.held import SPEC
from tests.verify.models import decoder, made


@pytest.mark.parametrize("held", ["gpt2/model.onnx", "decoder/gpt2/model.onnx", "t5/decoder.onnx"])
def test_a_model_in_a_folder_below_is_named(held: str, tmp_path: Path) -> None:
    (tmp_path / held).parent.mkdir(parents=True)
    (tmp_path / held).touch()
    with pytest.raises(CannotAnswer, match=r"holds no `model\.onnx`") as caught:
        open_session(tmp_path)
    assert caught.value.help == f"`{(tmp_path / held).parent}` has one"


def test_a_decoder_is_not_opened_without_the_encoder_beside_it(tmp_path: Path) -> None:
    for name in ("encoder.onnx", "decoder.onnx"):
        (tmp_path / name).touch()
    pair = model_files(tmp_path)
    assert [each.name for each in pair] == ["encoder.onnx", "decoder.onnx"]
    assert model_files(tmp_path / "decoder.onnx") == pair
    assert model_files(tmp_path / "encoder.onnx") == pair[:1]


def test_a_path_that_is_no_text_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "\udcff"
    folder.mkdir()
    (folder / "model.onnx").touch()
    with pytest.raises(CannotAnswer, match="no UTF-8 text"):
        open_session(folder, device="cpu")


def test_where_there_is_none_it_has_to_be_built(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CannotAnswer) as caught:
            open_session(folder)
        assert caught.value.help == "build it first with `archc build`"


def test_a_model_for_a_device_that_is_not_here_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(SPEC)
    build(str(path), out=str(tmp_path), emit=("onnx",), target=Target("cuda", "bf16"))
    with pytest.raises(CannotAnswer, match="cannot load") as caught:
        open_session(tmp_path / "small", device="cpu")
    assert "built for CUDA" in caught.value.help and "--target cpu" in caught.value.help


def test_halves_for_a_device_do_not_end_the_process_on_a_cpu(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    embed, rnn = "{embed: {vocab: 9, dim: 8}, in: ids}", "{rnn: {cell: lstm, dim: 8}}"
    graph = f"graph: {{tok: {embed}, h: {rnn}, y: {{linear: {{dim: 4}}}}}}"
    path.write_text(f"name: small\ninputs: {{ids: tokens}}\n{graph}\n")
    build(str(path), out=str(tmp_path), emit=("onnx",), target=Target("cuda", "fp16"))
    session = open_session(tmp_path / "small", device="cpu", threads=1)
    ids = np.arange(5)[None]
    assert np.isfinite(session.run({"ids": ids})["y"]).all()


@pytest.mark.parametrize(("target", "shared"), [(Target("cuda", "fp16"), True), (Target(), False)])
def test_a_cache_that_is_one_buffer_is_said_behind_the_graph(
    target: Target, shared: bool, tmp_path: Path
) -> None:
    long = decoder(dim=64)
    long["graph"]["h"]["stack"]["repeat"] = 48
    emit(made(long).files, None, tmp_path, target=target)
    assert (tmp_path / MODEL).stat().st_size > 2 * PROPERTIES
    assert says_shared(tmp_path / MODEL) == shared


def pretend(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    monkeypatch.setattr(opening, "has_cuda_device", lambda: True)
    monkeypatch.setattr(opening, "obstacle", lambda: why)


def test_a_device_without_its_libraries_is_no_silent_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ONNX Runtime would make a session without CUDA's provider and log that."""
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    pretend(monkeypatch, "libcublasLt.so.13: cannot open shared object file")
    with pytest.raises(
        CannotAnswer, match=r"cannot use the CUDA device here: libcublasLt"
    ) as caught:
        open_session(tmp_path, device="cuda")
    assert "onnxruntime-gpu[cuda,cudnn]>=1.31" in caught.value.help
    for options in ({}, {"gpu_mem_limit": "7"}):
        with pytest.raises(CannotAnswer, match=r"; ONNX Runtime cannot use .*: libcub") as caught:
            open_session(tmp_path, options=options)
        assert "onnxruntime-gpu[cuda,cudnn]>=1.31" in caught.value.help
