"""What comes with weights, by the names that transformers' own tokenizers look for."""

from pathlib import Path
from typing import Any

import pytest
import transformers
from transformers.tokenization_utils_base import CHAT_TEMPLATE_FILE
from transformers.utils import PROCESSOR_NAME

from archspec.source.frozen import Frozen
from compiler.pipeline.companions import COMPANIONS, copy_companions


class Folder(Frozen):
    """As much of a draft as takes a file."""

    folder: Path

    def path(self, name: str) -> Path:
        return self.folder / name


@pytest.mark.parametrize("name", ["Albert", "Bert", "CLIP", "GPT2", "Llama", "T5", "Whisper"])
def test_a_tokenizer_finds_its_files(name: str) -> None:
    files: dict[str, str] = getattr(transformers, f"{name}Tokenizer").vocab_files_names
    wanted = {file for key, file in files.items() if key != "normalizer_file"}
    assert wanted <= {*COMPANIONS}


def test_a_chat_finds_its_template_and_a_processor_its_config() -> None:
    assert {CHAT_TEMPLATE_FILE, PROCESSOR_NAME} <= {*COMPANIONS}


def test_what_is_there_is_copied_and_nothing_else(tmp_path: Path) -> None:
    published, made = tmp_path / "published", tmp_path / "made"
    published.mkdir()
    made.mkdir()
    for name in ("vocab.txt", "README.md", "training_args.bin"):
        (published / name).write_text(name)
    draft: Any = Folder(made)
    copy_companions(draft, published)
    assert [each.name for each in made.iterdir()] == ["vocab.txt"]
    assert (made / "vocab.txt").read_text() == "vocab.txt"
