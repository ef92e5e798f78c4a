"""Every family from its published files alone: same numbers, same count, readable spec."""

from pathlib import Path

import pytest
import torch

import archspec
from archspec.format import format_text
from compiler.importers.imported import Imported, import_config
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.decoding import decoded
from compiler.verify.difference import apart
from compiler.verify.examples import Example
from tests.families import cases_biased, cases_dense, cases_encoder, cases_moe, cases_normed
from tests.families.case import Case
from tests.parity.ours import Ours, ours

GROUPS = (cases_biased, cases_dense, cases_encoder, cases_moe, cases_normed)
CASES = [case for group in GROUPS for case in group.CASES]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_family(case: Case, tmp_path: Path) -> None:
    theirs = case.theirs()
    published = case.saved(theirs, tmp_path / "published")
    found = import_config(published)
    assert isinstance(found, Imported), found
    assert found.warnings == ()
    assert format_text(found.text) == found.text
    (tmp_path / "imported.yaml").write_text(found.text)
    made = compiled(archspec.load(tmp_path / "imported.yaml"))
    assert isinstance(made, Compiled), made
    mine = ours(made, published, tmp_path / "built")
    assert made.parameters == case.parameters(theirs)
    agrees(case, theirs, mine)


def agrees(case: Case, theirs: torch.nn.Module, mine: Ours) -> None:
    """The same numbers from torch, from ONNX Runtime and, where it decodes, from the cache."""
    given = case.given()
    with torch.no_grad():
        wanted = case.wanted(theirs, given.values)
        mine.agrees(given.values, wanted, given.real, bar=case.bar)
        if not mine.made.program.grown:
            return
        length = given.values[mine.made.program.grown].shape[1]
        lengths = {"B": len(next(iter(given.values.values()))), "T": length}
        steps = [length // 2, 1, length - length // 2 - 1]
        found = decoded(mine.made, mine.model, Example(dict(given.values), lengths), steps)
    real = slice(None) if given.real is None else given.real
    assert apart([each[real] for each in found], [each[real] for each in wanted]) <= case.bar
