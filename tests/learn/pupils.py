"""The translators at sizes that learn on one core: a fixed vector, attention, a Transformer."""

from torch import nn

from tests.learn.generated import born

SPECS = {
    "fixed": "01-seq2seq",
    "attention": "02-bahdanau-zeros",
    "projected": "02-bahdanau-projected",
    "transformer": "10-pre-norm",
}


def translator(kind: str, width: int, vocab: int) -> nn.Module:
    """One of the chapter's specs, by its kind, with other numbers."""
    looking = recurrent(width, vocab) | {"d_att": width}
    sizes = {
        "fixed": recurrent(width, vocab) | ONE_GRU,
        "attention": looking,
        "projected": looking,
        "transformer": transformer(width, vocab),
    }
    return born(SPECS[kind], sizes[kind])


ONE_GRU: dict[str, object] = {"n_layers": 1, "memory.cell": "gru", "dec.cell": "gru"}


def recurrent(width: int, vocab: int) -> dict[str, object]:
    """One width for words, states and scores; a vocabulary for both sides."""
    return {"src_vocab": vocab, "tgt_vocab": vocab, "d_emb": width, "d_h": width, "max_len": 128}


def transformer(width: int, vocab: int) -> dict[str, object]:
    """Two layers without dropout; positions are rows of a learned table."""
    positions = {"learned": 96}
    return {
        "vocab": vocab,
        "d_model": width,
        "n_layers": 2,
        "n_heads": 4,
        "d_ff": 2 * width,
        "src.embed.positions": positions,
        "tgt.embed.positions": positions,
        "defaults.dropout": 0.0,
    }
