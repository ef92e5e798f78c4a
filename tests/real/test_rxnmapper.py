"""RXNMapper's published ALBERT (Schwaller et al. 2021), imported from its files alone.

It was trained to fill atoms into reactions, written as SMILES; one layer is used twelve times.
"""

import re
from pathlib import Path

import pytest
import torch
from transformers import AlbertForMaskedLM

import archspec
from compiler.importers.imported import Imported, import_config
from compiler.verify.compiled import Compiled, compiled
from tests.parity.ours import Ours, ours
from tests.real.published import published_reactions

PARAMETERS = 735_567
BAR = 5e-5
"""Logits reach 24; in single precision transformers is as far from double precision itself."""
TOKEN = re.compile(r"\[[^\]]+\]|Br|Cl|>>|[A-Za-z]|[0-9]|\S")
REACTIONS = (
    "CC(=O)O.OCC>>CC(=O)OCC",
    "c1ccccc1Br.OB(O)c1ccccc1>>c1ccc(-c2ccccc2)cc1",
    "CC(=O)Cl.Nc1ccccc1>>CC(=O)Nc1ccccc1",
    "O=Cc1ccccc1>>OCc1ccccc1",
)


@pytest.fixture(scope="module")
def published() -> Path:
    return published_reactions()


@pytest.fixture(scope="module")
def theirs(published: Path) -> AlbertForMaskedLM:
    return AlbertForMaskedLM.from_pretrained(published, local_files_only=True).eval()


@pytest.fixture(scope="module")
def mine(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Ours:
    found = import_config(published)
    assert isinstance(found, Imported), found
    assert found.warnings == ()
    folder = tmp_path_factory.mktemp("rxnmapper")
    (folder / "imported.yaml").write_text(found.text)
    made = compiled(archspec.load(folder / "imported.yaml"))
    assert isinstance(made, Compiled), made
    return ours(made, published, folder / "built")


@pytest.fixture(scope="module")
def vocabulary(published: Path) -> list[str]:
    return (published / "vocab.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def batch(vocabulary: list[str]) -> dict[str, torch.Tensor]:
    """All reactions in one batch, each padded to the longest: `ids` and `ids_mask`, [B, T]."""
    rows = [["[CLS]", *TOKEN.findall(each), "[SEP]"] for each in REACTIONS]
    length = max(map(len, rows))
    padded = [[*row, *["[PAD]"] * (length - len(row))] for row in rows]
    ids = torch.tensor([[vocabulary.index(token) for token in row] for row in padded])
    return {"ids": ids, "ids_mask": ids != vocabulary.index("[PAD]")}


def test_the_count_is_the_published_one(mine: Ours, theirs: AlbertForMaskedLM) -> None:
    assert mine.made.parameters == PARAMETERS
    assert sum(each.numel() for each in theirs.parameters()) == PARAMETERS


def test_both_forms_give_the_published_logits(
    mine: Ours, theirs: AlbertForMaskedLM, batch: dict[str, torch.Tensor]
) -> None:
    with torch.no_grad():
        found = theirs.double()(batch["ids"], attention_mask=batch["ids_mask"].long())
    assert found.logits.std() > 1
    mine.agrees(batch, [found.logits.float()], batch["ids_mask"], bar=BAR)


def test_masked_atoms_are_filled_in(
    mine: Ours, batch: dict[str, torch.Tensor], vocabulary: list[str]
) -> None:
    """Each token of the products in turn is masked; most are found again."""
    arrow, mask = vocabulary.index(">>"), vocabulary.index("[MASK]")
    ids = batch["ids"][0, batch["ids_mask"][0]]
    places = range(int((ids == arrow).nonzero()) + 1, len(ids) - 1)
    masked = ids.repeat(len(places), 1)
    for row, place in enumerate(places):
        masked[row, place] = mask
    with torch.no_grad():
        logits = mine.model(masked, torch.ones_like(masked).bool())
    filled = [logits[row, place].argmax() == ids[place] for row, place in enumerate(places)]
    assert sum(map(bool, filled)) > 0.8 * len(filled)
