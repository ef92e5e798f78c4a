"""`archc run` on the published MiniLM: the vectors of sentence-transformers."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertModel

from compiler.cli.run import run
from tests.real.conftest import Model
from tests.real.sentences import SENTENCES


def test_sentences_go_in_and_published_vectors_come_out(
    model: Model,
    oracle: BertModel,
    batch: dict[str, torch.Tensor],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The folder brought its tokenizer along. `1_Pooling` is the mean over real tokens; there
    `2_Normalize` follows, which the spec leaves to cosines."""
    some, real = SENTENCES[:8], batch["ids_mask"][:8]
    with torch.no_grad():
        states = oracle.float()(input_ids=batch["ids"][:8], attention_mask=real.long())
    mean = (states.last_hidden_state * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    wanted = torch.nn.functional.normalize(mean).numpy()

    capsys.readouterr()
    assert run(["run", str(model.folder), *some]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["given"] for line in lines] == list(some)
    found = np.array([line["sentence"] for line in lines], "f4")
    assert (found * wanted).sum(1) / np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-6)

    assert run(["run", str(model.folder), *some, "--out", str(tmp_path / "v.npy")]) == 0
    assert np.array_equal(np.load(tmp_path / "v.npy"), found)
