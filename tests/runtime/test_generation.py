"""Generation: GPT-2 as transformers decodes it, encoder-decoders as a loop over their module."""

from pathlib import Path

import numpy as np
import pytest
import torch

from compiler.answer import CannotAnswer
from compiler.runtime.generation import Row, Wanted, generate
from compiler.runtime.opening import open_session
from compiler.runtime.roles import Growing, growing, id_inputs
from compiler.runtime.sampling import Sampling
from compiler.runtime.session import Session
from compiler.verify.module import build, call, shake
from compiler.verify.parity import onnx_session
from tests.backends.onnx.built import build as write
from tests.backends.onnx.built import compiled, random_weights
from tests.parity.ours import ours, spec
from tests.passes.test_carrying import CASES
from tests.runtime.stepped import watch
from tests.runtime.test_session import ENCODER
from tests.verify.models import made

V, R = 97, 40
GPT2 = {"d_model": 32, "n_layers": 2, "n_heads": 4, "vocab": V, "max_len": R}
PROMPT = [5, 17, 60]
SMALL_GRU = {"src_vocab": 31, "tgt_vocab": 37, "d_emb": 10, "d_h": 12, "d_att": 9}
SMALL_TRANSFORMER = {"vocab": 37, "d_model": 16, "n_layers": 2, "n_heads": 2, "d_ff": 24}


@pytest.fixture(scope="module")
def theirs() -> torch.nn.Module:
    import transformers

    config = transformers.GPT2Config(
        vocab_size=V, n_positions=R, n_embd=32, n_layer=2, n_head=4, attn_implementation="eager"
    )
    made: torch.nn.Module = transformers.GPT2LMHeadModel(config).eval()
    shake(made)
    return made


@pytest.fixture(scope="module")
def gpt2(theirs: torch.nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder: Path = tmp_path_factory.mktemp("gpt2")
    theirs.save_pretrained(folder / "published")  # type: ignore[operator]  # a transformers model
    made = spec("decoder/gpt2.yaml", **GPT2, weights="gpt2")
    return ours(made, folder / "published", folder / "ours").session


def said(session: Session, new: int, sampling: Sampling, stop: tuple[int, ...] = ()) -> Row:
    given = {"ids": np.array([PROMPT])}
    (found,) = generate(session, given, growing(session), Wanted(new, sampling, stop))
    return found


def test_greedy_ids_are_those_of_transformers(theirs: torch.nn.Module, gpt2: Session) -> None:
    wanted = theirs.generate(  # type: ignore[operator]  # a transformers model
        torch.tensor([PROMPT]),
        max_new_tokens=20,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )[0].tolist()
    found = said(gpt2, 20, Sampling())
    assert (found.stopped, found.prompt) == (False, tuple(PROMPT))
    assert [*found.prompt, *found.new] == wanted
    assert len(set(found.new)) > 1


def test_generation_ends_at_the_stop_id(gpt2: Session) -> None:
    whole = said(gpt2, 12, Sampling()).new
    last = max(whole.index(each) for each in whole)
    found = said(gpt2, 12, Sampling(), stop=(V + 1, whole[last]))
    assert (found.stopped, found.new) == (True, whole[:last])


def test_where_every_id_is_barred_none_is_chosen(gpt2: Session) -> None:
    for sampling in (Sampling(), Sampling(1.0)):
        wanted = Wanted(3, sampling, never=tuple(range(V)))
        with pytest.raises(CannotAnswer, match="no id is left to choose"):
            generate(gpt2, {"ids": np.array([PROMPT])}, growing(gpt2), wanted)


def test_a_seed_gives_the_same_ids_again(gpt2: Session) -> None:
    first, again, other = (said(gpt2, 12, Sampling(2.0, 20, seed=seed)).new for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_a_sequence_beyond_the_longest_is_refused(gpt2: Session) -> None:
    assert len(said(gpt2, R - 2, Sampling()).new) == R - 2  # the last id is never read
    with pytest.raises(CannotAnswer, match=r"cannot be run on `ids` \[1, 1\]"):
        said(gpt2, R - 1, Sampling())


@pytest.mark.parametrize(
    ("path", "sizes"),
    [
        ("encoder-decoder/transformer-base.yaml", SMALL_TRANSFORMER),
        ("history/01-seq2seq-gru.yaml", {}),
        ("history/02-bahdanau-zeros.yaml", SMALL_GRU),
    ],
)
def test_an_encoder_decoder_reads_its_source(
    path: str, sizes: dict[str, int], tmp_path: Path
) -> None:
    made = spec(path, **sizes)
    model = build(made.generated).eval()
    shake(model)
    session = onnx_session(made.files, model, tmp_path)
    grows = growing(session)
    assert grows == Growing("tgt_ids", "logits", "src_ids")
    source, ids = torch.tensor([[3, 9, 4, 22]]), [1]
    hot, draws = Sampling(3.0, seed=5), np.random.default_rng(5)  # greedy ids soon repeat
    for _ in range(10):
        values = {
            "src_ids": source,
            "src_ids_mask": torch.ones(1, 4, dtype=torch.bool),
            "tgt_ids": torch.tensor([ids]),
        }
        with torch.no_grad():
            ids.append(hot.choose(call(model, values)[0][0, -1].numpy(), draws))
    given = {"src_ids": source.numpy(), "tgt_ids": np.array([[1]])}
    (found,) = generate(session, given, grows, Wanted(10, hot))
    assert [*found.prompt, *found.new] == ids
    assert len(set(ids)) > 5


@pytest.mark.parametrize("name", ["layers of one", "in turns"])
def test_a_recurrent_language_model_reads_each_id_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows go on as torch continues all that they hold, and no step reads more than one id."""
    built = made(CASES[name])
    model = build(built.generated).eval()
    shake(model)
    session = onnx_session(built.files, model, tmp_path)
    rows, hot = [[5, 17, 30], [1, 2, 3]], Sampling(3.0, seed=5)
    wanted = [list(row) for row in rows]
    draws = [hot.draws(number) for number in range(2)]
    for _ in range(8):
        with torch.no_grad():
            (logits,) = call(model, {"ids": torch.tensor(wanted)})
        for row, last, draw in zip(wanted, logits[:, -1], draws, strict=True):
            row.append(hot.choose(last.numpy(), draw))
    seen = watch(monkeypatch)
    grows = growing(session)
    assert grows == Growing("ids", "logits", None)
    found = generate(session, {"ids": np.array(rows)}, grows, Wanted(8, hot), rows=(0, 1))
    assert [[*row.prompt, *row.new] for row in found] == wanted
    assert [shapes["ids"][1] for shapes, _ in seen] == [3] + [1] * 7


def test_a_model_that_reads_both_ways_continues_nothing(tmp_path: Path) -> None:
    program = compiled({**ENCODER, "outputs": ["h"]})
    write(program, random_weights(program), tmp_path)
    session = open_session(tmp_path, threads=1, device="cpu")
    for prompt in ([5], [5, 6, 7]):
        with pytest.raises(CannotAnswer, match="both ways"):
            generate(session, {"ids": np.array([prompt])}, growing(session), Wanted(3))


def test_a_model_of_whole_sentences_has_nothing_that_grows(tmp_path: Path) -> None:
    program = compiled({**ENCODER, "outputs": ["sentence"]})
    write(program, random_weights(program), tmp_path)
    session = open_session(tmp_path, threads=1, device="cpu")
    assert id_inputs(session) == ["ids"]
    with pytest.raises(CannotAnswer, match="does not continue a sequence"):
        growing(session)
