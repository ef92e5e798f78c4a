"""What tests on real weights share: the published model, its oracle, and what we build of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from tokenizers import Tokenizer
from transformers import BertModel

from compiler.pipeline import Built, build
from compiler.runtime.opening import open_session
from tests.real.modules import fresh
from tests.real.published import ROOT, published_model
from tests.real.sentences import SENTENCES

SPEC = str(ROOT / "specs" / "encoder" / "minilm-l6.yaml")
NAME = Path("encoder", "minilm-l6")

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Vectors:
    """Sentence vectors and pooler outputs of a batch, each [B, D]."""

    sentence: Array
    pooler: Array


@dataclass(frozen=True)
class Model:
    """A built folder with what it holds."""

    built: Built
    folder: Path

    def module(self) -> torch.nn.Module:
        """A fresh model of the file `model.py`."""
        return fresh(self.folder, "MinilmL6")

    def by_torch(self, model: torch.nn.Module, batch: Mapping[str, torch.Tensor]) -> Vectors:
        with torch.no_grad():
            sentence, pooler = model.eval()(batch["ids"], batch["ids_mask"])
        return Vectors(sentence.numpy(), pooler.numpy())

    def by_onnx(self, batch: Mapping[str, torch.Tensor]) -> Vectors:
        session = open_session(self.folder, device="cpu")
        found = session.run({name: value.numpy() for name, value in batch.items()})
        return Vectors(found["sentence"], found["pooler"])


def build_into(folder: Path, weights: Path) -> Model:
    """Build the spec with a checkpoint; everything goes below `folder`."""
    return Model(build(SPEC, weights=str(weights), out=str(folder)), folder / NAME)


@pytest.fixture(scope="session")
def published() -> Path:
    return published_model()


@pytest.fixture(scope="session")
def model(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Model:
    return build_into(tmp_path_factory.mktemp("minilm"), published)


@pytest.fixture(scope="session")
def oracle(published: Path) -> BertModel:
    return BertModel.from_pretrained(published, local_files_only=True).eval()


@pytest.fixture(scope="session")
def batch(published: Path) -> dict[str, torch.Tensor]:
    """All sentences in one batch, each padded to the longest: `ids` and `ids_mask`, [B, T]."""
    tokenizer = Tokenizer.from_file(str(published / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    found = tokenizer.encode_batch(SENTENCES)
    ids = torch.tensor([each.ids for each in found])
    return {"ids": ids, "ids_mask": torch.tensor([each.attention_mask for each in found]).bool()}
