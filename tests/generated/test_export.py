"""`torch.export` with dynamic batch, lengths and position, with and without a cache."""

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch.export import ExportedProgram, export

from compiler.verify.compiled import Compiled
from compiler.verify.decoding import piece, states
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import arguments, build, call
from tests.generated.samples import DECODERS, RECURRENT, small
from tests.generated.traced import as_arguments, free_lengths
from tests.shipped import TRACED

SHAPES = [(1, 1), (2, 13), (4, 6)]


def exported(made: Compiled, model: torch.nn.Module, values: Mapping[str, Any]) -> ExportedProgram:
    """The model traced at one shape, every length of its inputs free."""
    lengths = free_lengths(made, model, values)
    return export(model, (), as_arguments(model, values), dynamic_shapes=lengths)


def again(
    program: torch.nn.Module, values: Mapping[str, Any], model: torch.nn.Module
) -> tuple[torch.Tensor, ...]:
    takes = arguments(model.forward)
    found = program(**{takes[name]: value for name, value in values.items()})
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("path", [path for path in TRACED if path not in RECURRENT])
def test_all_positions_at_once(path: str) -> None:
    made = small(path)
    model = build(made.generated)
    program = exported(made, model, example(made.spec, made.program, 3, 9).values).module()
    for batch, length in SHAPES:
        values = example(made.spec, made.program, batch, length).values
        with torch.no_grad():
            assert apart(again(program, values, model), call(model, values)) <= 1e-6


def rounding(made: Compiled) -> float:
    """Latent attention begins in another form when it runs than when it was exported: outputs of
    up to 3.4 differ by 5e-6."""
    return 2e-5 if "latent_attention" in made.generated.text else 1e-6


@pytest.mark.parametrize("path", [path for path in TRACED if path in DECODERS])
def test_with_a_cache(path: str) -> None:
    made = small(path)
    model = build(made.generated)
    given = example(made.spec, made.program, 3, 11)
    values = {**piece(made, given.values, 2, 11), "pos": 2}
    program = exported(made, model, {**values, **states(made, given, 4)}).module()
    for (batch, length), pos in zip(SHAPES, (7, 0, 3), strict=True):
        given = example(made.spec, made.program, batch, pos + length)
        values = {**piece(made, given.values, pos, pos + length), "pos": pos}
        mine, other = (states(made, given, spare=8) for _ in range(2))
        with torch.no_grad():
            wanted = call(model, {**values, **mine})
            found = again(program, {**values, **other}, model)
        assert apart(found, wanted) <= rounding(made)
        assert apart(list(other.values()), list(mine.values())) <= rounding(made)
