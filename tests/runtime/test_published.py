"""What lies beside a model: ids, labels and lengths, and files that say nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.runtime.published import Published, read_published


def test_a_generation_config_goes_before_a_config(tmp_path: Path) -> None:
    ours = {"eos_token_id": 2, "suppress_tokens": [1, 7], "id2label": {"1": "dog", "0": "cat"}}
    theirs = {"eos_token_id": [5, 6], "decoder_start_token_id": 3, "begin_suppress_tokens": [9]}
    (tmp_path / "config.json").write_text(json.dumps(ours))
    (tmp_path / "generation_config.json").write_text(json.dumps(theirs))
    (tmp_path / "manifest.json").write_text('{"model": {"longest": {"ids": 16}}}')
    found = read_published(tmp_path)
    assert found == Published((5, 6), (3,), (1, 7), (9,), ("cat", "dog"), {"ids": 16})


@pytest.mark.parametrize(
    ("forced", "start"), [([[1, 4], [2, 5]], (3, 4, 5)), ([[1, None], [2, 5]], ()), ([], (3,))]
)
def test_ids_forced_at_the_start_belong_to_it(
    forced: list[Any], start: tuple[int, ...], tmp_path: Path
) -> None:
    """None of them where one is open, such as the language."""
    said = {"decoder_start_token_id": 3, "forced_decoder_ids": forced}
    (tmp_path / "config.json").write_text(json.dumps(said))
    assert read_published(tmp_path).start == start


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"eos_token_id": ["x"], "id2label": {"a": 1}}'])
def test_files_that_say_nothing(text: str, tmp_path: Path) -> None:
    for name in ("config.json", "generation_config.json", "manifest.json"):
        (tmp_path / name).write_text(text)
    assert read_published(tmp_path) == Published()
