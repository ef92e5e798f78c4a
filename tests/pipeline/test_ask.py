"""Questions that write nothing."""

import os
from pathlib import Path

import pytest

from archspec.source.diagnostic import SpecError
from compiler.answer import CannotAnswer
from compiler.pipeline import check, cost, graph, show


def test_check_answers_for_each_path(decoder: Path) -> None:
    bad = decoder.with_name("bad.yaml")
    bad.write_text("name: bad\n")
    good, wrong = check([str(decoder), str(bad)])
    assert (good.path, good.diagnostics) == (str(decoder), ())
    assert wrong.path == str(bad)
    assert wrong.diagnostics


def test_check_finds_shapes_that_do_not_fit(decoder: Path) -> None:
    (found,) = check([str(decoder)], ["d_model=20", "n_heads=3"])
    assert found.diagnostics
    assert all(each.primary.span.line for each in found.diagnostics)


@pytest.mark.parametrize("ask", [cost, lambda path: show(path, "after:fuse"), graph])
def test_a_wrong_spec_is_one_exception_with_all_findings(ask: object, decoder: Path) -> None:
    decoder.write_text(decoder.read_text().replace("act:", "atc:").replace("heads:", "haeds:"))
    assert callable(ask)
    with pytest.raises(SpecError) as caught:
        ask(str(decoder))
    assert len(caught.value.diagnostics) >= 2


def test_a_pass_that_is_none_is_no_answer(decoder: Path) -> None:
    with pytest.raises(CannotAnswer, match="no pass is called"):
        show(str(decoder), "after:fussion")


def test_nothing_is_written(decoder: Path) -> None:
    check([str(decoder)])
    cost(str(decoder))
    show(str(decoder), "after:fuse")
    assert os.listdir() == ["specs"]
