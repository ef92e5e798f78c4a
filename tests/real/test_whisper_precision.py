"""What integers cost Whisper tiny.en: from a recording come the same words."""

import json
import shutil
from pathlib import Path

import pytest

from compiler.cli.run import run
from tests.real.ctranslate2 import read_binary
from tests.real.published import published_speech
from tests.real.speech import END, RECORDING, SAID, SILENT, START, write_checkpoint

NAME = "whisper-tiny.en"
SETTINGS = {
    "fp32": [],
    "int8": ["--target", "cpu", "--precision", "int8"],
    "int4": ["--target", "cpu", "--precision", "int4"],
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
