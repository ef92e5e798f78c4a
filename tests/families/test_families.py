"""Every family from its published files alone: same numbers in float32, no coarser in bfloat16,
same count, readable spec."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

import archspec
from archspec.format import format_text
from compiler.importers.checkpoint import Checkpoint
from compiler.importers.families import known_types
from compiler.importers.fill import Filled, fill
from compiler.importers.imported import Imported, import_config
from compiler.importers.layout import lay_out
from compiler.pipeline.reading import reading_of
from compiler.pipeline.weights import weights_for
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.decoding import crossed, decoded
from compiler.verify.difference import apart
from compiler.verify.examples import Example
from tests.families.bfloat16 import no_coarser
from tests.families.case import BAR, Case
from tests.importers.samples import opened
from tests.parity.ours import Ours, ours

FILES = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
GROUPS = [import_module(f"tests.families.{name}") for name in FILES]
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
    goes_back(made, published)
    no_coarser(case, theirs, mine.model)


def test_every_model_type_is_held_against_transformers() -> None:
    import transformers

    assert {getattr(transformers, case.config).model_type for case in CASES} == {*known_types()}


def goes_back(made: Compiled, published: Path) -> None:
    """Exported, the weights have the names and bytes of the published file."""
    weights = weights_for(made.spec, made.program, made.fused, str(published))
    reading = reading_of(made.spec, made.program, made.fused)
    rules, ties, sizes = reading.rules, reading.ties, reading.sizes
    assert weights.sources is not None and rules is not None and made.spec.weights is not None
    back = lay_out(weights.sources, rules, sizes=sizes, ties=ties, place=made.spec.span)
    assert isinstance(back, Mapping), back
    file = {modern(name, set(back)): tensor for name, tensor in opened(published).items()}
    assert set(back) - set(file) == set()
    for name, tensor in back.items():
        np.testing.assert_array_equal(tensor.load(), file[name].load(), name)
    again = fill(reading.shapes, Checkpoint(published, back), rules=rules, ties=ties, sizes=sizes)
    assert isinstance(again, Filled), "what was left out would be missed"


def modern(name: str, wanted: set[str]) -> str:
    """A name as published files have it; transformers still writes ESM's norms as BERT's once were,
    and a tower that stands alone without the prefix that its published files have."""
    name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
    towers = (f"{tower}.{name}" for tower in ("text_model", "vision_model"))
    return next((whole for whole in towers if whole in wanted), name)


def agrees(case: Case, theirs: torch.nn.Module, mine: Ours) -> None:
    """The same numbers from torch, from ONNX Runtime and, where it decodes, from the cache; not
    where angles change as a sequence grows, for which no cache is right."""
    given = case.given()
    with torch.no_grad():
        wanted = case.wanted(theirs, given.values)
        mine.agrees(given.values, wanted, given.real, bar=BAR)
        if not mine.made.program.grown:
            return
        length = given.values[mine.made.program.grown].shape[1]
        if crossed(mine.made.program, length):
            return
        lengths = {"B": len(next(iter(given.values.values()))), "T": length}
        steps = [length // 2, 1, length - length // 2 - 1]
        found = decoded(mine.made, mine.model, Example(dict(given.values), lengths), steps)
    real = slice(None) if given.real is None else given.real
    assert apart([each[real] for each in found], [each[real] for each in wanted]) <= BAR
