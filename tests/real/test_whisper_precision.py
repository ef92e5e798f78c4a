"""What integers cost Whisper tiny.en, an encoder and a decoder in two files: from a recording come
the same words, by logits that hardly move."""

import json
import shutil
from pathlib import Path
from typing import Final

import pytest
import torch
from tokenizers import Tokenizer
from torch import Tensor

from compiler.cli.run import run
from compiler.pipeline.manifest import read_manifest
from compiler.runtime.opening import open_session
from compiler.verify.deviation import deviation_of
from tests.real.ctranslate2 import read_binary
from tests.real.published import published_speech
from tests.real.speech import END, RECORDING, SAID, SILENT, START, heard, write_checkpoint

NAME = "whisper-tiny.en"
SETTINGS = {
    "fp32": [],
    "int8": ["--target", "cpu", "--precision", "int8"],
    "int4": ["--target", "cpu", "--precision", "int4"],
    "int4:32:zero-point": ["--target", "cpu", "--precision", "int4:32:zero-point"],
}


def spec_of(checkpoint: Path) -> Path:
    return checkpoint.parent / f"{NAME}.yaml"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The weights as they are published: with their tokenizer, and the ids of a transcript."""
    published = published_speech()
    folder = tmp_path_factory.mktemp("published") / NAME
    write_checkpoint(read_binary(published / "model.bin"), folder)
    shutil.copyfile(published / "tokenizer.json", folder / "tokenizer.json")
    said = {
        "decoder_start_token_id": START,
        "eos_token_id": END,
        "forced_decoder_ids": [[1, SILENT]],
    }
    (folder / "generation_config.json").write_text(json.dumps(said))
    assert run(["import", str(folder), "--out", str(spec_of(folder))]) == 0
    return folder


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_transcript_survives_rounding(
    setting: str, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--weights", str(checkpoint), "--out", str(tmp_path), "--emit", "onnx", "--no-verify"]
    assert run(["build", str(spec_of(checkpoint)), *given, *SETTINGS[setting]]) == 0
    capsys.readouterr()
    assert run(["run", str(tmp_path / NAME), str(RECORDING)]) == 0
    assert capsys.readouterr().out.strip() == SAID


BARS: Final = {
    "int8": (0.06, 0.998, 0.05),
    "int4": (0.45, 0.88, 0.3),
    "int4:32:zero-point": (0.25, 0.95, 0.1),
}
"""The most that logits are off, relative to their size, the least mean cosine of their vectors, and
the most that a word's loss, in nats, may grow by."""


@pytest.fixture(scope="module")
def words(checkpoint: Path) -> Tensor:
    """The ids of the transcript, from the first to the last [T]."""
    tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
    said = tokenizer.encode(f" {SAID}", add_special_tokens=False).ids
    return torch.tensor([START, SILENT, *said, END])


def logits(setting: str, checkpoint: Path, words: Tensor, folder: Path) -> Tensor:
    """The logits [T - 1, V] at every word of the transcript but the last."""
    given = ["--weights", str(checkpoint), "--out", str(folder), "--emit", "onnx", "--no-verify"]
    asked = ["build", str(spec_of(checkpoint)), *given, "--logits", "all", *SETTINGS[setting]]
    assert run(asked) == 0
    session = open_session(folder / NAME, device="cpu")
    ids = words[None, :-1]
    values = {"features": heard(), "tgt_ids": ids, "tgt_ids_mask": torch.ones_like(ids)}
    taken = {name: each.numpy() for name, each in values.items() if name in session.inputs}
    return torch.from_numpy(session.run(taken)["logits"][0])


@pytest.fixture(scope="module")
def exact(checkpoint: Path, words: Tensor, tmp_path_factory: pytest.TempPathFactory) -> Tensor:
    return logits("fp32", checkpoint, words, tmp_path_factory.mktemp("exact"))


@pytest.mark.parametrize("setting", BARS)
def test_logits_hardly_move(
    setting: str, checkpoint: Path, words: Tensor, exact: Tensor, tmp_path: Path
) -> None:
    """Along the transcript, the encoder and the decoder both rounded; the manifest counts both."""
    found = logits(setting, checkpoint, words, tmp_path)
    lost, (most, least, grows) = deviation_of([(found, exact)]), BARS[setting]
    before, after = (
        torch.nn.functional.cross_entropy(each[1:], words[2:]).item() for each in (exact, found)
    )
    print(f"{setting}: {lost.relative:.4f} {lost.cosine:.5f} {before:.4f} {after:.4f}")
    assert torch.equal(found[1:].argmax(dim=-1), words[2:])
    assert 0 < lost.relative <= most
    assert lost.cosine >= least
    assert after - before <= grows
    manifest = read_manifest(tmp_path / NAME)
    assert manifest is not None
    kinds = manifest.model["rounded"].values()
    assert sum(each["matrices"] for each in kinds) == 4 * 6 + 4 * 10 + 1
