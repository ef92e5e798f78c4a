"""Rename rules applied to tensors: the keys of a file to our parameters, and back."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from compiler.importers.lazy import Lazy
from compiler.importers.misfit import Misfit
from compiler.importers.operators import Shape, Sizes, Squeeze, Stack, Transpose, Unsqueeze, Unstack
from compiler.importers.regroup import Rearrange
from compiler.importers.rules import Rule
from compiler.importers.template import Captures

Place: TypeAlias = tuple[int | None, int]
"""A tensor's `{j}`, where there is one, and the number of its target."""

Bundle: TypeAlias = Mapping[Place, Lazy]


def targets_of(rule: Rule, captures: Captures) -> tuple[str, ...]:
    """The parameters that a matched rule gives; of those for each `{j}` the first."""
    first = {**captures, "j": "0"} if rule.spreads else captures
    return tuple(target.fill(first) for target in rule.targets)


def forward(
    rule: Rule,
    captures: Captures,
    keys: Mapping[int | None, Lazy],
    shapes: Mapping[str, Shape],
    sizes: Sizes,
) -> dict[str, Lazy] | Misfit:
    """The parameters that `rule` makes of its tensors: one, or for a stack one for each `{j}`.

    `shapes` are the model's; `sizes` are the integers that a `regroup` may name.
    """
    bundle: Bundle | Misfit = {(j, 0): tensor for j, tensor in keys.items()}
    for step, operator in enumerate(rule.operators):
        if isinstance(bundle, Misfit):
            return bundle
        if isinstance(operator, Stack | Unstack):
            bundle = _restack(operator, bundle, sizes)
        elif isinstance(operator, Transpose | Squeeze | Unsqueeze | Rearrange):
            bundle = _each({place: operator.forward(t, sizes) for place, t in bundle.items()})
        else:
            goals = {j: _goals(rule, step, captures, j, shapes) for j, _ in bundle}
            bundle = _apart(
                {j: operator.forward(t, goals[j], sizes) for (j, _), t in bundle.items()}
            )
    if isinstance(bundle, Misfit):
        return bundle
    return {_name(rule, captures, place): tensor for place, tensor in bundle.items()}


def backward(
    rule: Rule, captures: Captures, parameters: Bundle, sizes: Sizes
) -> dict[str, Lazy] | Misfit:
    """The tensors of a file that `rule` made `parameters` of; the inverse of `forward`."""
    bundle: Bundle | Misfit = parameters
    for operator in reversed(rule.operators):
        if isinstance(bundle, Misfit):
            return bundle
        if isinstance(operator, Stack | Unstack):
            bundle = _unrestack(operator, bundle, sizes)
        elif isinstance(operator, Transpose | Squeeze | Unsqueeze | Rearrange):
            bundle = _each({place: operator.backward(t, sizes) for place, t in bundle.items()})
        else:
            members = sorted({j for j, _ in bundle}, key=lambda j: -1 if j is None else j)
            parts = {j: [bundle[j, n] for n in range(len(rule.targets))] for j in members}
            bundle = _each({(j, 0): operator.backward(p, sizes) for j, p in parts.items()})
    if isinstance(bundle, Misfit):
        return bundle
    return {rule.source.fill(_with(captures, j)): tensor for (j, _), tensor in bundle.items()}


def _goals(
    rule: Rule, step: int, captures: Captures, j: int | None, shapes: Mapping[str, Shape]
) -> Sequence[Shape]:
    """The shapes that the targets have right after operator number `step`."""
    goals = []
    for number in range(len(rule.targets)):
        shape = shapes.get(_name(rule, captures, (j, number)), ())
        for operator in reversed(rule.operators[step + 1 :]):
            if isinstance(operator, Transpose | Squeeze | Unsqueeze | Rearrange):
                shape = operator.before(shape)
        goals.append(shape)
    return goals


def _restack(operator: Stack | Unstack, bundle: Bundle, sizes: Sizes) -> Bundle | Misfit:
    if isinstance(operator, Unstack):
        members = operator.forward(bundle[None, 0], sizes)
        return members if isinstance(members, Misfit) else _numbered(members)
    ordered = _in_order(bundle)
    return (
        ordered
        if isinstance(ordered, Misfit)
        else _each({(None, 0): operator.forward(ordered, sizes)})
    )


def _unrestack(operator: Stack | Unstack, bundle: Bundle, sizes: Sizes) -> Bundle | Misfit:
    if isinstance(operator, Stack):
        members = operator.backward(bundle[None, 0], sizes)
        return members if isinstance(members, Misfit) else _numbered(members)
    ordered = _in_order(bundle)
    return (
        ordered
        if isinstance(ordered, Misfit)
        else _each({(None, 0): operator.backward(ordered, sizes)})
    )


def _numbered(members: Sequence[Lazy]) -> Bundle:
    return {(n, 0): member for n, member in enumerate(members)}


def _in_order(bundle: Bundle) -> list[Lazy] | Misfit:
    missing = [n for n in range(len(bundle)) if (n, 0) not in bundle]
    if missing:
        return Misfit(f"number {missing[0]} of those to be stacked is missing")
    return [bundle[n, 0] for n in range(len(bundle))]


def _each(results: Mapping[Place, Lazy | Misfit]) -> Bundle | Misfit:
    bundle: dict[Place, Lazy] = {}
    for place, result in results.items():
        if isinstance(result, Misfit):
            return result
        bundle[place] = result
    return bundle


def _apart(results: Mapping[int | None, list[Lazy] | Misfit]) -> Bundle | Misfit:
    bundle: dict[Place, Lazy] = {}
    for j, result in results.items():
        if isinstance(result, Misfit):
            return result
        bundle.update({(j, number): tensor for number, tensor in enumerate(result)})
    return bundle


def _name(rule: Rule, captures: Captures, place: Place) -> str:
    return rule.targets[place[1]].fill(_with(captures, place[0]))


def _with(captures: Captures, j: int | None) -> Captures:
    return captures if j is None else {**captures, "j": str(j)}
