"""A difference in the terminal: what breaks a limit is said even where nothing differs."""

from archspec.load import load
from tests.passes.samples import LLAMA
from tests.report.diff.test_costs import compared


def test_a_broken_limit_is_told_where_nothing_differs() -> None:
    spec = load({**LLAMA, "budget": {"parameters": 1}})
    found = compared(spec, spec)
    assert found.same
    assert not found.ok
    _, verdict, _, over = found.text().splitlines()
    assert verdict == "no difference in structure or costs"
    assert over.startswith("OVER  `parameters` is ")


def test_where_nothing_differs_nothing_more_is_said() -> None:
    spec = load({**LLAMA, "budget": {"parameters": 10**9}})
    assert len(compared(spec, spec).text().splitlines()) == 2
