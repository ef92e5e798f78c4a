"""A comment on a pull request: shaped for a bot, and safe whatever a spec calls its things."""

import re
from itertools import takewhile

from archspec.load import load
from compiler.report.formula import formula
from tests.passes.samples import LLAMA, named
from tests.report.diff.test_costs import compared


def test_one_verdict_one_table_and_the_rest_folded() -> None:
    text = compared(named("decoder/gemma-2b"), named("decoder/gemma2-2b")).markdown()
    first, second, *_ = text.splitlines()
    assert first.startswith("<!-- ") and first.endswith(" -->")
    assert second.startswith("**gemma2-2b**: ")
    open_part, _, folded = text.partition("<details>")
    assert open_part.count("\n| ---") == 1
    assert folded.count("</details>") == text.count("<details>") == 3


def test_every_row_has_as_many_cells_as_its_head() -> None:
    spec = {**LLAMA, "budget": {"kv_bytes@{B: 1, T: 8}": 10**9}}
    lines = compared(load(LLAMA), load(spec, set={"width": 48})).markdown().splitlines()
    tables = [i for i, line in enumerate(lines) if line.startswith("| ---")]
    assert len(tables) == 4
    for start in tables:
        rows = takewhile(lambda line: line.startswith("|"), lines[start - 1 :])
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_a_formula_stands_once_and_none_fills_pages() -> None:
    """A comment has room for 65 000 signs; the peak of training alone may take thousands."""
    spec = load(LLAMA)
    found = compared(spec, load(LLAMA, set={"width": 48}))
    totals = {total.name: total for total in found.totals}
    (peak,) = (row for row in found.markdown().splitlines() if row.startswith("| `training_peak"))
    assert len(formula(totals["training_peak_bytes"].formulas[1])) > 400 > len(peak)
    assert "`archc cost SPEC --explain training_peak_bytes`" in peak
    (kept,) = (row for row in found.markdown().splitlines() if row.startswith("| `gradients_"))
    before, after = kept.split(" | ")[-2:]
    assert before == formula(totals["gradients_bytes"].formulas[0])
    assert after == "the same |"


def test_words_of_a_spec_are_no_markup() -> None:
    """A name that would close the mark or begin a tag, a patch with signs of emphasis."""
    name = "x --> <script> `a` | *b*"
    spec = {**LLAMA, "name": name}
    text = compared(load(spec), load(spec, set=["ff=2*width*1", "name=z --><b>*y*"])).markdown()
    mark, _, rest = text.partition("\n")
    assert mark.count("-->") == 1 and mark.endswith(" -->")
    bare = re.sub(r"`[^`\n]*`", "", rest)
    assert "<script>" not in bare
    assert not re.search(r"(?<!\\)<b>", bare)
    assert "*width*" not in bare


def test_where_nothing_differs_nothing_is_folded() -> None:
    spec = load(LLAMA)
    text = compared(spec, spec).markdown()
    assert "no difference in structure or costs" in text
    assert "<details>" not in text
