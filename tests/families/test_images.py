"""Imported encoders of images at another size than they were trained at."""

from pathlib import Path

import pytest
import torch

import archspec
from compiler.importers.imported import Imported, import_config
from compiler.verify.compiled import Compiled, compiled
from tests.families.case import BAR, Case
from tests.families.cases_image import CASES, pixels
from tests.parity.ours import ours

RESIZED = [case for case in CASES if case.name in ("dinov2", "dinov2-registers")]


@pytest.mark.parametrize("case", RESIZED, ids=str)
@pytest.mark.parametrize("sides", [(20, 20), (8, 16)], ids=str)
def test_positions_are_interpolated(case: Case, sides: tuple[int, int], tmp_path: Path) -> None:
    theirs = case.theirs()
    published = case.saved(theirs, tmp_path / "published")
    found = import_config(published)
    assert isinstance(found, Imported), found
    (tmp_path / "imported.yaml").write_text(found.text)
    resized = {"inputs.pixels": {"image": [3, *sides]}}
    made = compiled(archspec.load(tmp_path / "imported.yaml", set=resized))
    assert isinstance(made, Compiled), made
    given = pixels(*sides).values
    with torch.no_grad():
        wanted = case.wanted(theirs, given)
    ours(made, published, tmp_path / "built").agrees(given, wanted, bar=BAR)
