"""What stands beside the graph: inputs, outputs, budgets, weights, what nodes inherit."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from archspec.branches import text_of
from archspec.model.input import Input
from archspec.model.spec import Spec
from compiler.report.diff.change import Change
from compiler.report.diff.parts import Leaf, Part, Parts
from compiler.report.diff.values import Site, Values


def input_changes(before: Spec, after: Spec, values: Values) -> Iterator[Change]:
    """Inputs by name: their kinds, shapes and lengths."""
    old, new = (
        {name: _input(spec, one) for name, one in spec.inputs.items()} for spec in (before, after)
    )
    yield from _by_name("inputs.", old, new, values)


def output_changes(before: Spec, after: Spec, values: Values) -> Iterator[Change]:
    """The results, names of nodes apart; where none are said, the last node is the result."""
    then = tuple(values.renamed.get(name, name) for name in before.outputs)
    if then == after.outputs:
        return
    leaves = [_leaf(spec, spec.outputs, "outputs") for spec in (before, after)]
    if any(leaf.origin == "written" for leaf in leaves):
        yield values.change("changed", Site("outputs", "outputs", "outputs"), "", *leaves)


def budget_changes(before: Spec, after: Spec, values: Values) -> Iterator[Change]:
    """Limits by what they limit."""
    old, new = (
        {
            name: Parts(spec).leaf(limit.limit, f"budget.{name}")
            for name, limit in spec.budget.items()
        }
        for spec in (before, after)
    )
    site = Site("budget", "budget", "budget")
    for name in {**old, **new}:
        if name not in new:
            yield values.change("removed", replace(site, after=""), name, old[name], None)
        elif name not in old:
            yield values.change("added", replace(site, before=""), name, None, new[name])
        else:
            yield from values.leaf(site, name, old[name], new[name])


def rest_changes(before: Spec, after: Spec, values: Values) -> Iterator[Change]:
    """What nodes outside of stacks take from `defaults:`, and how checkpoints name weights."""
    one, other = Parts(before), Parts(after)
    site = Site("defaults", "defaults", "defaults")
    pairs = {
        "init": tuple(parts.init(parts.spec.init, "defaults.init") for parts in (one, other)),
        "dropout": tuple(
            parts.dropout(parts.spec.dropout, "defaults.dropout") for parts in (one, other)
        ),
    }
    for name, (old, new) in pairs.items():
        wrapped = (Part("defaults", {name: part}, part.span) for part in (old, new))
        for change in values.parts(site, *wrapped):
            if change.field.startswith(("init", "dropout.embed")):
                yield change
    rules = [_weights(spec) for spec in (before, after)]
    yield from values.leaf(Site("weights", "weights", "weights"), "", *rules)


def _by_name(
    prefix: str, old: Mapping[str, Part], new: Mapping[str, Part], values: Values
) -> Iterator[Change]:
    for name in {**old, **new}:
        path = f"{prefix}{name}"
        if name not in new:
            yield values.change("removed", Site(path, "", path), "", old[name], None)
        elif name not in old:
            yield values.change("added", Site("", path, path), "", None, new[name])
        else:
            yield from values.parts(Site(path, path, path), old[name], new[name])


def _input(spec: Spec, one: Input) -> Part:
    parts, path = Parts(spec), f"inputs.{one.name}"
    shape = Leaf(text_of(one.shape), "written", one.span)
    entries = {name: parts.leaf(getattr(one, name), f"{path}.{name}") for name in OPTIONS}
    return Part(one.kind, {"shape": shape, **entries}, one.span)


OPTIONS = ("max", "padded", "segments")


def _leaf(spec: Spec, value: object, path: str) -> Leaf:
    mark = spec.marks.get(path)
    if mark is None:
        return Leaf(text_of(value), "default", spec.span)
    return Leaf(text_of(value), "written", mark.span)


def _weights(spec: Spec) -> Leaf:
    rules = spec.weights
    if rules is None:
        return Leaf("none", "default", spec.span)
    text = rules.family or f"{len(rules.rules)} rules"
    return Leaf(text, "written", rules.span)
