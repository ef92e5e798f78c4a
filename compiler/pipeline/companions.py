"""What was published beside weights and belongs to a model wherever it runs."""

import shutil
from pathlib import Path
from typing import Final

from compiler.pipeline.folder import Draft

COMPANIONS: Final = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "source.spm",
    "target.spm",
    "chat_template.jinja",
    "config.json",
    "generation_config.json",
    "preprocessor_config.json",
    "processor_config.json",
)
"""How text becomes ids, what the classes are called, which ids begin and end, and how pictures and
sound become numbers; the names are those of transformers."""


def copy_companions(draft: Draft, published: Path) -> None:
    """Put what is in the folder of the weights into that of the model."""
    for name in COMPANIONS:
        if (published / name).is_file():
            shutil.copyfile(published / name, draft.path(name))
