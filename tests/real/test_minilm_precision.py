"""What integers cost the published MiniLM: sentence vectors and the order of their likeness."""

from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from tokenizers import Tokenizer

from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Target
from compiler.pipeline import build
from compiler.runtime.opening import open_session
from tests.real.conftest import NAME, SPEC, Array

WHO: Final = ("A nurse", "The old sailor", "My neighbour", "A young engineer", "The committee")
DOES: Final = (
    "repairs a bicycle",
    "reads about medieval trade",
    "is looking for the cheapest flight",
    "argues over the price of bread",
    "plants tomatoes behind the house",
    "explains how vaccines work",
    "has lost the keys to the office",
    "plays chess against a computer",
)
WHEN: Final = (
    "on a rainy morning.",
    "before the shops open.",
    "while everybody else sleeps.",
    "for the third time this week, although nobody asked for it.",
    "in Lisbon.",
)

BLOCKS: Final = (Choice("*", Integers(8, 32, "symmetric")),)
ZEROS: Final = (Choice("*", Integers(4, 32, "zero-point")),)
SETTINGS: Final = {
    "int8": (Target("cpu", "int8"), 0.999, 0.999),
    "int8:32": (Target("cpu", "int8", choices=BLOCKS), 0.999, 0.999),
    "int4": (Target("cpu", "int4"), 0.95, 0.97),
    "int4:32:zero-point": (Target("cpu", "int4", choices=ZEROS), 0.97, 0.985),
}
"""The least mean cosine, and the least correlation of the order of all pairs by likeness."""


def sentences() -> list[str]:
    return [" ".join(words) for words in product(WHO, DOES, WHEN)]


def vectors(folder: Path, published: Path) -> Array:
    """A vector of length one for each sentence."""
    tokenizer = Tokenizer.from_file(str(published / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    found = tokenizer.encode_batch(sentences())
    session = open_session(folder / NAME, device="cpu")
    made = session.run(
        {
            "ids": np.array([each.ids for each in found]),
            "ids_mask": np.array([each.attention_mask for each in found], bool),
        }
    )["sentence"]
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))


def ranks(found: Array) -> Array:
    """How alike every pair of sentences is, as its place among all pairs."""
    alike = (found @ found.T)[np.triu_indices(len(found), 1)]
    return np.asarray(alike.argsort().argsort(), np.float32)


@pytest.fixture(scope="module")
def plain(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Array:
    folder = tmp_path_factory.mktemp("plain")
    build(SPEC, weights=str(published), out=str(folder))
    return vectors(folder, published)


def test_there_are_200_sentences_that_differ(plain: Array) -> None:
    assert len(set(sentences())) == len(plain) == 200
    assert np.median((plain @ plain.T)[np.triu_indices(200, 1)]) < 0.5


@pytest.mark.parametrize("setting", SETTINGS)
def test_vectors_and_their_order_survive_rounding(
    setting: str, plain: Array, published: Path, tmp_path: Path
) -> None:
    target, cosine, agreement = SETTINGS[setting]
    build(SPEC, weights=str(published), out=str(tmp_path), target=target, emit=("onnx",))
    found = vectors(tmp_path, published)
    cosines = (found * plain).sum(axis=1)
    same = float(np.corrcoef(ranks(found), ranks(plain))[0, 1])
    print(f"{setting}: {cosines.mean():.5f} {cosines.min():.5f} {same:.5f}")
    assert cosines.mean() >= cosine
    assert same >= agreement
