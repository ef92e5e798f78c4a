"""How alike sentences are to a built sentence encoder: `python -m compiler.runtime.similarity`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.answer import CannotAnswer
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.runtime.tokenizer import open_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from compiler.runtime.kept import Array

SENTENCES: Final = (
    "The cat sits on the warm windowsill.",
    "A kitten is resting by the window.",
    "The central bank raised interest rates again.",
)


def sentence_vectors(session: Session, tokenizer: "Tokenizer", sentences: Sequence[str]) -> "Array":
    """One vector a sentence [B, D]: the first output of a model of padded tokens."""
    import numpy as np

    tokenizer.enable_padding()
    found = tokenizer.encode_batch(list(sentences))
    ids = next(iter(session.inputs))
    inputs = {
        ids: np.array([each.ids for each in found], np.int64),
        f"{ids}_mask": np.array([each.attention_mask for each in found], np.bool_),
    }
    return session.run(inputs)[next(iter(session.outputs))]


def cosine_similarities(vectors: "Array") -> "Array":
    """The cosine of every pair of rows: [B, D] to [B, B]; 0 for a row of zeros."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.maximum(lengths, np.finfo(vectors.dtype).tiny)
    return np.asarray(rows @ rows.T)


def similarity_table(sentences: Sequence[str], similarities: "Array") -> str:
    """The matrix as text, a line a sentence."""
    width = max(map(len, sentences))
    head = " " * (width + 4) + "".join(f"{n:>8}" for n in range(1, len(sentences) + 1))
    lines = [
        f"{n:>2}  {sentence:<{width}}" + "".join(f"{value:>8.3f}" for value in row)
        for n, (sentence, row) in enumerate(zip(sentences, similarities, strict=True), 1)
    ]
    return "\n".join([head, *lines])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the similarities of sentences and where the model lies; 2 where that cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m compiler.runtime.similarity")
    parser.add_argument("folder", type=Path, help="a built model, as build/encoder/minilm-l6")
    parser.add_argument("--tokenizer", type=Path, required=True, help="its tokenizer.json")
    parser.add_argument("sentences", nargs="*", default=SENTENCES)
    asked = parser.parse_intermixed_args(arguments)
    sentences = list(asked.sentences) or list(SENTENCES)
    try:
        session = open_session(asked.folder)
        vectors = sentence_vectors(session, open_tokenizer(asked.tokenizer), sentences)
    except CannotAnswer as problem:
        print(f"error: {problem.message}", file=sys.stderr)
        return 2
    print(similarity_table(sentences, cosine_similarities(vectors)))
    print(f"\nran on {session.device}; the model is in {asked.folder}:")
    for path in sorted(asked.folder.iterdir()):
        print(f"  {path.name}  {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
