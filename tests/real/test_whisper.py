"""Whisper tiny.en (Radford et al. 2023), published for CTranslate2, hears a sentence and writes it.

Its variables are renamed to transformers' checkpoint; from there on `archc` is alone with a folder.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import GenerationConfig, WhisperForConditionalGeneration

import archspec
from compiler.cli.run import run
from compiler.runtime.opening import open_session
from tests.real.ctranslate2 import Binary, read_binary
from tests.real.modules import fresh
from tests.real.published import ROOT, published_speech
from tests.real.speech import END, SAID, SILENT, START, heard, write_checkpoint

NAME = "whisper-tiny.en"
SPEC = ROOT / "specs" / "encoder-decoder" / f"{NAME}.yaml"
VARIABLES, PARAMETERS = 148, 37_760_256
LAYERS, HEADS, HEAD_DIM, SLOTS = 4, 6, 64, 32
EXACT = 1e-10
LOGITS, STATES, FRAMES = 1e-4, 1e-3, 1
"""Of single precision. In transformers it errs by 2e-5 in logits, which reach 34; in states, which
reach 13, by 1e-5 but for one frame of 1500, where it errs by 3e-4.
"""


@dataclass(frozen=True)
class Built:
    """The checkpoint, the spec that `archc import` wrote, and the folder that `archc build` wrote.

    The build gives the encoder's states, `memory`, beside the logits.
    """

    checkpoint: Path
    spec: Path
    folder: Path

    def model(self) -> nn.Module:
        model = fresh(self.folder, "WhisperTinyEn")
        model.load_state_dict(load_file(self.folder / "model.safetensors"), strict=True)
        return model.eval()


@pytest.fixture(scope="module")
def published() -> Path:
    return published_speech()


@pytest.fixture(scope="module")
def binary(published: Path) -> Binary:
    return read_binary(published / "model.bin")


@pytest.fixture(scope="module")
def built(binary: Binary, tmp_path_factory: pytest.TempPathFactory) -> Built:
    root = tmp_path_factory.mktemp("whisper")
    made = Built(root / NAME, root / f"{NAME}.yaml", root / "build" / NAME)
    write_checkpoint(binary, made.checkpoint)
    assert run(["import", str(made.checkpoint), "--out", str(made.spec)]) == 0
    given = ["--weights", str(made.checkpoint), "--out", str(made.folder.parent), "--no-verify"]
    assert run(["build", str(made.spec), *given, "--set", "outputs=[logits, memory]"]) == 0
    return made


@pytest.fixture(scope="module")
def theirs(built: Built) -> WhisperForConditionalGeneration:
    """transformers' own model, which misses nothing in the folder and leaves nothing over."""
    found, told = WhisperForConditionalGeneration.from_pretrained(
        built.checkpoint, local_files_only=True, output_loading_info=True
    )
    assert not any(told.values()), told
    return found.eval()


@pytest.fixture(scope="module")
def features() -> Tensor:
    return heard()


@pytest.fixture(scope="module")
def words(theirs: WhisperForConditionalGeneration, features: Tensor) -> list[int]:
    """What transformers hears, its own prompt before it, choosing the likeliest id each time."""
    greedy = GenerationConfig(
        is_multilingual=False,
        no_timestamps_token_id=SILENT,
        decoder_start_token_id=START,
        eos_token_id=END,
        pad_token_id=END,
        max_new_tokens=SLOTS,
    )
    found: list[int] = theirs.generate(features, generation_config=greedy)[0].tolist()
    return found


def test_the_file_is_read_whole(binary: Binary) -> None:
    assert (binary.architecture, len(binary.variables)) == ("WhisperSpec", VARIABLES)


def test_the_import_is_the_spec_that_ships(
    built: Built, theirs: WhisperForConditionalGeneration
) -> None:
    """But for the draw of weights, which the family's configs tell."""
    imported = archspec.load(built.spec, set={"defaults.init": "torch"})
    shipped = archspec.load(SPEC)
    assert (imported.name, imported.weights) == (shipped.name, shipped.weights)
    assert (imported.dims, imported.graph) == (shipped.dims, shipped.graph)
    for name, given in shipped.inputs.items():
        assert replace(imported.inputs[name], span=given.span) == given
    assert sum(each.numel() for each in theirs.parameters()) == PARAMETERS
    assert sum(each.numel() for each in built.model().parameters()) == PARAMETERS


def test_both_forms_give_the_published_states_and_logits(
    built: Built, theirs: WhisperForConditionalGeneration, features: Tensor, words: list[int]
) -> None:
    """In double precision the source gives the same numbers; single precision rounds them."""
    model, ids = built.model(), torch.tensor([[START, SILENT, *words]])
    by_onnx = id_by_id(built, features, ids)
    with torch.no_grad():
        single = model(features, ids)
        double = model.double()(features.double(), ids)
        wanted = theirs.double()(features.double(), decoder_input_ids=ids)
    theirs.float()
    logits, states = wanted.logits, wanted.encoder_last_hidden_state
    assert logits.std() > 5
    assert states.std() > 1
    assert apart(double[0], logits).max() <= EXACT
    assert apart(double[1], states).max() <= EXACT
    for found in (single, by_onnx):
        assert apart(found[0], logits).max() <= LOGITS
        frames = apart(found[1], states)
        assert frames.max() <= STATES
        assert (frames > LOGITS).sum() <= FRAMES


def id_by_id(built: Built, features: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    """The logits of all steps of the decoder, and the states of the encoder, which ran once."""
    session, past, steps = open_session(built.folder, device="cpu"), None, []
    for each in ids.numpy()[0]:
        given = {"features": features.numpy(), "tgt_ids": np.array([[each]])}
        outputs, past = session.step(given, past)
        steps.append(torch.from_numpy(outputs["logits"]))
    return torch.cat(steps, dim=1), torch.from_numpy(outputs["memory"])


def apart(found: Any, wanted: Tensor) -> "np.ndarray[Any, Any]":
    """How far off the worst number of each position is, [T]."""
    worst = (torch.as_tensor(found) - wanted).abs().amax(-1)
    return worst[0].numpy()


def test_the_source_writes_what_was_said(
    built: Built, published: Path, features: Tensor, words: list[int]
) -> None:
    """With its cache, one id at a time, as its own docstring says."""
    model: Any = built.model()
    token, said = torch.tensor([[START, SILENT]]), list[int]()
    with torch.inference_mode():
        kv = torch.zeros(LAYERS, 2, 1, HEADS, SLOTS, HEAD_DIM)
        memory = model.encode(features)
        cross_kv = model.cross_kv(memory)
        for pos in (0, *range(2, SLOTS)):
            logits, _ = model.decode(token, memory, cross_kv, kv, pos)
            token = logits[:, -1:].argmax(dim=-1)
            if token == END:
                break
            said.append(int(token))
    assert said == words
    tokenizer = Tokenizer.from_file(str(published / "tokenizer.json"))
    assert tokenizer.decode(said).strip() == SAID


def test_archc_runs_the_graph_and_writes_what_was_said(
    built: Built,
    published: Path,
    features: Tensor,
    words: list[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    np.savez(tmp_path / "heard.npz", features=features.numpy())
    given = ["--input", str(tmp_path / "heard.npz"), "--ids", f"{START},{SILENT}"]
    given += ["--tokenizer", str(published / "tokenizer.json")]
    asked = ["--new", str(SLOTS), "--stop", str(END), "--json"]
    capsys.readouterr()
    assert run(["run", str(built.folder), *given, *asked]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["new_ids"], row["ended"]) == (words, "stop")
    assert row["text"].strip() == SAID


def test_the_checkpoint_comes_back_bit_by_bit(built: Built, tmp_path: Path) -> None:
    given = ["--weights", str(built.folder), "--out", str(tmp_path / "back")]
    assert run(["export-weights", str(built.spec), *given]) == 0
    found = load_file(tmp_path / "back" / "model.safetensors")
    wanted = load_file(built.checkpoint / "model.safetensors")
    assert set(found) == set(wanted)
    assert all(found[name].dtype == each.dtype for name, each in wanted.items())
    assert all(
        found[name].numpy().tobytes() == each.numpy().tobytes() for name, each in wanted.items()
    )
