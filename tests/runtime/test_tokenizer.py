"""A tokenizer that cannot be had, and what to do instead."""

import sys
from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.runtime.tokenizer import open_tokenizer


def test_the_package_that_reads_words_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(CannotAnswer, match="need the package `tokenizers`") as caught:
        open_tokenizer(Path("tokenizer.json"))
    assert caught.value.help == "`pip install tokenizers`, or give ids by `--ids`"
