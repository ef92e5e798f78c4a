"""The three translators at sizes that learn on one core: a fixed vector, attention, Transformer."""

from torch import nn

from tests.learn.generated import born
from tests.learn.sequences import VOCAB


def translator(kind: str, width: int) -> nn.Module:
    """`fixed`, `attention` or `transformer`, as the chapter's specs with other numbers."""
    name, sizes = {
        "fixed": (
            "01-seq2seq",
            recurrent(width) | {"n_layers": 1, "memory.cell": "gru", "dec.cell": "gru"},
        ),
        "attention": ("02-bahdanau-zeros", recurrent(width) | {"d_att": width}),
        "transformer": ("10-pre-norm", transformer(width)),
    }[kind]
    return born(name, sizes)


def recurrent(width: int) -> dict[str, object]:
    """One width for words, states and scores; a vocabulary for both sides."""
    return {"src_vocab": VOCAB, "tgt_vocab": VOCAB, "d_emb": width, "d_h": width, "max_len": 128}


def transformer(width: int) -> dict[str, object]:
    """Two layers without dropout; a table drawn small, for it is the output's matrix too."""
    return {
        "vocab": VOCAB,
        "d_model": width,
        "n_layers": 2,
        "n_heads": 4,
        "d_ff": 2 * width,
        "max_len": 128,
        "defaults.dropout": 0.0,
        "defaults.init": {"normal": width**-0.5},
    }
