"""Sequence to sequence through one vector: against loops written out and published weights."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from compiler.backends.onnx import emit
from compiler.cli.run import run as archc
from compiler.passes.served import served
from compiler.runtime.generation import Wanted, generate
from compiler.runtime.opening import open_session
from compiler.runtime.roles import growing
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights
from tests.history.recurrences import below, ours, run, sources
from tests.parity.ours import spec
from tests.real.converted import convert
from tests.real.letters import spoken
from tests.shipped import SPECS

SMALL = {"src_vocab": 31, "tgt_vocab": 37, "d_emb": 10, "d_h": 12, "n_layers": 3}
LENGTHS = [(1, 1, 1), (2, 7, 5), (3, 40, 50)]
CHECKPOINT = Path(__file__).parents[2] / ".cache/weights/g2p_en/checkpoint20.npz"
LETTERS = ["<pad>", "<unk>", "</s>", *"abcdefghijklmnopqrstuvwxyz"]
START, END = 2, 3


def read_at_every_step(values: dict[str, Tensor], w: dict[str, Tensor]) -> Tensor:
    """h_t = LSTM([y_t; c], h_(t-1)) with c the top state that the encoder ends in."""
    logits = []
    for ids, real, said in zip(
        values["src_ids"], values["src_ids_mask"], values["tgt_ids"], strict=True
    ):
        _, last = run("lstm", w["src.weight"][ids[real]], below(w, "memory"), 3, 1)
        c = last[-1][0]
        read = torch.stack([torch.cat((w["tgt.weight"][y], c)) for y in said])
        h, _ = run("lstm", read, below(w, "dec"), 3, 1, last)
        logits.append(h @ w["logits.weight"].T + w["logits.bias"])
    return torch.stack(logits)


@pytest.mark.parametrize("lengths", LENGTHS)
def test_context_at_every_step(lengths: tuple[int, int, int], tmp_path: Path) -> None:
    both = ours(spec("history/01-seq2seq.yaml", **SMALL), tmp_path)
    values = sources(both.made, *lengths)
    both.agrees(values, [read_at_every_step(values, both.model.state_dict())])


def test_one_vector_is_all_that_crosses() -> None:
    """However long the source is, what the decoder is given is as wide."""
    made = spec("history/01-seq2seq.yaml", **SMALL)
    model = build(made.generated)
    shapes = []
    for length in (4, 30):
        values = sources(made, 2, length, 3)
        found = model.encode(values["src_ids"], values["src_ids_mask"])  # type: ignore[operator]
        shapes.append([tuple(value.shape) for value in found])
    assert shapes[0] == shapes[1] == [(2, 12), (3, 2, 12), (3, 2, 12)]


@pytest.mark.parametrize("lengths", LENGTHS)
def test_gru(lengths: tuple[int, int, int], tmp_path: Path) -> None:
    both = ours(spec("history/01-seq2seq-gru.yaml", d_model=14), tmp_path)
    values, w = sources(both.made, *lengths), both.model.state_dict()
    logits = []
    for ids, real, said in zip(*values.values(), strict=True):
        _, last = run("gru", w["src.weight"][ids[real]], below(w, "memory"), 1, 1)
        h, _ = run("gru", w["tgt.weight"][said], below(w, "dec"), 1, 1, last)
        logits.append(h @ w["logits.weight"].T + w["logits.bias"])
    both.agrees(values, [torch.stack(logits)])


@pytest.mark.skipif(not CHECKPOINT.exists(), reason="`make weights` fetches the checkpoint")
def test_letters_become_phonemes() -> None:
    """The published weights pronounce a word, a phoneme a step, its states handed on."""
    made = spec("history/01-seq2seq-gru.yaml")
    model = build(made.generated)
    model.load_state_dict(spoken(CHECKPOINT), strict=True)
    ids = torch.tensor([[LETTERS.index(letter) for letter in "transformer"] + [2]])
    said: list[int] = []
    token = torch.tensor([[START]])
    with torch.no_grad():
        state = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))  # type: ignore[operator]
        while len(said) < 20 and token.item() != END:
            logits, state = model.decode(token, state)  # type: ignore[operator]
            token = logits[:, -1:].argmax(dim=-1)
            said.append(int(token.item()))
    assert [PHONEMES[each] for each in said[:-1]] == [
        "T",
        "R",
        "AE0",
        "N",
        "S",
        "F",
        "AO1",
        "R",
        "M",
        "ER0",
    ]


@pytest.mark.skipif(not CHECKPOINT.exists(), reason="`make weights` fetches the checkpoint")
def test_a_build_takes_them_where_they_are_written_anew(tmp_path: Path) -> None:
    convert(CHECKPOINT, tmp_path / "g2p.safetensors")
    given = ["--weights", str(tmp_path / "g2p.safetensors"), "--out", str(tmp_path / "out")]
    assert archc(["build", str(SPECS / "history/01-seq2seq-gru.yaml"), *given]) == 0
    (made,) = (tmp_path / "out").rglob("model.safetensors")
    built = load_file(made)
    for name, tensor in spoken(CHECKPOINT).items():
        assert torch.equal(built[name], tensor), name


@pytest.mark.skipif(not CHECKPOINT.exists(), reason="`make weights` fetches the checkpoint")
def test_letters_become_phonemes_in_the_files(tmp_path: Path) -> None:
    """Words of several lengths, read once; then each phoneme is a step of the decoder alone."""
    made = spec("history/01-seq2seq-gru.yaml")
    emit(served(made.fused), lazy_weights(spoken(CHECKPOINT)), tmp_path)
    session = open_session(tmp_path, device="cpu")
    words = {"transformer": "T R AE0 N S F AO1 R M ER0", "attention": "AH0 T EH1 N SH AH0 N"}
    rows = [[LETTERS.index(letter) for letter in word] + [2] for word in words]
    longest = max(map(len, rows))
    given = {
        "src_ids": np.array([row + [0] * (longest - len(row)) for row in rows]),
        "src_ids_mask": np.array([[at < len(row) for at in range(longest)] for row in rows]),
        "tgt_ids": np.full((len(rows), 1), START),
    }
    said = generate(session, given, growing(session), Wanted(20, stop=(END,)), rows=(0, 1))
    assert [" ".join(PHONEMES[each] for each in row.new) for row in said] == list(words.values())


VOWELS = ["AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"]
PHONEMES = [
    "<pad>", "<unk>", "<s>", "</s>",
    *sorted(
        [f"{vowel}{stress}" for vowel in VOWELS for stress in range(3)]
        + ["B", "CH", "D", "DH", "F", "G", "HH", "JH", "K", "L", "M",
           "N", "NG", "P", "R", "S", "SH", "T", "TH", "UW", "V", "W", "Y", "Z", "ZH"]
    ),
]  # fmt: skip
"""The sounds of the CMU dictionary in the order of g2p-en, vowels with their stress."""
