"""What tracing a generated model takes: arguments by their names, and which lengths stay free."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.export import Dim

from compiler.verify.compiled import Compiled
from compiler.verify.module import arguments


def as_arguments(model: torch.nn.Module, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the parameters of `forward`; none of them is a view, whose lengths the trace would
    tie to those of what it views."""
    takes = arguments(model.forward)
    return {
        takes[name]: value.clone() if isinstance(value, torch.Tensor) else value
        for name, value in values.items()
    }


def free_lengths(
    made: Compiled, model: torch.nn.Module, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Every length of every value that may vary, by the parameters of `forward`."""
    takes = arguments(model.forward)
    main = made.program.main
    return {
        takes[name]: {
            axis: Dim.DYNAMIC
            for axis, size in enumerate(main.type(main.inputs[name]).shape)
            if made.program.key.fix(size).letters
        }
        or Dim.DYNAMIC
        for name in values
    }
