"""What a generated encoder-decoder makes of a source, on torch as on its shadow: its methods called
one after the other."""

import inspect
from collections.abc import Mapping
from typing import Any

from compiler.ir.methods import ALL


def encoded(model: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What `decode` of a model takes of the source, by its parameters' names: what `encode` gives,
    and the keys and values that the model makes of that. `given` are inputs by such names."""
    keys = getattr(model, ALL, None)
    read, taken = _needed(keys) if keys else [], _needed(model.decode)
    lists = [name for name in taken if keys and name.endswith(ALL)]
    crossing = [name for name in dict.fromkeys([*read, *taken]) if name not in {*given, *lists}]
    sources = inspect.signature(model.encode).parameters
    memory = _several(model.encode(**{name: given[name] for name in sources}))
    found = dict(zip(crossing, memory, strict=True))
    if keys:
        made = keys(**{name: found[name] for name in read})
        found |= zip(lists, made if len(lists) > 1 else (made,), strict=True)
    return {name: found[name] for name in taken if name in found}


def _needed(method: Any) -> list[str]:
    """The parameters that a call must give."""
    parameters = inspect.signature(method).parameters
    return [name for name, each in parameters.items() if each.default is each.empty]


def _several(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)
