"""Components that installed packages add: the functions that turn them into operators."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias

from archspec.components.component import Component
from archspec.components.extension import package_of
from compiler.ir.graph import Value
from compiler.lower.attention import Around
from compiler.lower.scope import Scope

GROUP = "archspec.lowerings"

Lowering: TypeAlias = Callable[[Scope, Any, Value, Around], Value]
"""Fills the scope with the operators of a component that reads a value; returns the result."""


def extension(scope: Scope, component: Component, x: Value, around: Around) -> Value:
    """What the package that added a component makes of it."""
    point = _points().get(component.word)
    if point is None:
        scope.reject(
            "AR0916",
            f"`{component.word}` cannot be compiled",
            "its package adds the component without a lowering",
            f"the package lacks an entry point `{component.word}` in the group `{GROUP}`",
        )
    try:
        lowering: Lowering = point.load()
    except Exception as error:  # another package's failure is a finding, not a bug of ours
        label = f"{package_of(point)[0]}: {type(error).__name__}: {error}"
        scope.reject("AR0916", f"`{component.word}` cannot be compiled", label)
    return lowering(scope, component, x, around)


@cache
def _points() -> dict[str, EntryPoint]:
    """Lowerings by the words of their components; of two for a word the first package counts."""
    found = sorted(entry_points(group=GROUP), key=lambda point: package_of(point), reverse=True)
    return {point.name: point for point in found}
