"""Tiny models of transformers as it publishes them, read back through a family's rules."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from archspec.source.span import Span
from compiler.importers.fill import Filled, fill
from compiler.importers.names import Names
from compiler.importers.restore import restore
from compiler.importers.rules import Rules, parse_rules
from tests.importers.samples import Array, opened

Family = Callable[[Names], dict[str, Any]]
Shapes = Mapping[str, tuple[int, ...]]


def family_rules(family: Family, names: Names) -> Rules:
    """The rules of a family, which are well formed."""
    rules = parse_rules(family(names), lambda key: Span("spec.yaml", 1, 1, 1, 2))
    assert isinstance(rules, Rules), rules
    return rules


def read_back(
    folder: Path, rules: Rules, shapes: Shapes, ties: Mapping[str, str] | None = None
) -> dict[str, Array]:
    """Every parameter of `shapes` from the files in `folder`."""
    found = fill(shapes, opened(folder), rules=rules, ties=ties)
    assert isinstance(found, Filled), found
    return {name: tensor.read() for name, tensor in found.sources.items()}


def goes_back(folder: Path, rules: Rules, shapes: Shapes, lost: set[str]) -> None:
    """Filled and restored, the file is what it was, but for `lost` and a prefix."""
    found = fill(shapes, opened(folder), rules=rules)
    assert isinstance(found, Filled), found
    made = restore(found.sources, rules, {})
    assert not (made.unruled or made.misfits or made.astray), made
    back = made.tensors
    file = load_file(folder / "model.safetensors")
    assert set(file) - lost == {_named(file, name) for name in back}
    for name, tensor in back.items():
        np.testing.assert_array_equal(tensor.read(), file[_named(file, name)])


def _named(file: Mapping[str, Array], name: str) -> str:
    """The key of the file, which may have a prefix of one segment."""
    return next((key for key in file if key == name or key.partition(".")[2] == name), name)
