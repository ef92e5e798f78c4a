"""A batch of no rows, as the last one of a data set may be, is no error."""

import pytest
import torch

from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.generated.samples import small
from tests.shipped import DISTINCT


@pytest.mark.parametrize("path", DISTINCT)
def test_no_rows_give_no_rows(path: str) -> None:
    made = small(path)
    model = build(made.generated)
    given = example(made.spec, made.program, 2, 9).values
    none = {
        name: value.narrow(axis, 0, 0)
        for name, value in given.items()
        for axis, size in enumerate(made.program.main.type(made.program.main.inputs[name]).shape)
        if "B" in made.program.key.fix(size).letters
    }
    with torch.no_grad():
        found, full = call(model, {**given, **none}), call(model, given)
    assert [each.ndim for each in found] == [each.ndim for each in full]
    assert not any(each.numel() for each in found)
