"""Two stacks compared: how many layers, of which kinds, and what one layer of each kind is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from archspec.model.spec import Spec
from archspec.model.stack import Stack
from compiler.report.diff.change import Cause, Change, ranges
from compiler.report.diff.layers import align
from compiler.report.diff.pairing import distance, pairing
from compiler.report.diff.parts import Part, Parts
from compiler.report.diff.values import Site, Values

Layer = Mapping[str, Part]


def variants(spec: Spec, name: str) -> list[dict[str, Part]]:
    """The parts of each kind of layers of a stack."""
    stack, parts = spec.graph[name].component, Parts(spec)
    assert isinstance(stack, Stack)
    paths = [f"{name}.layer" + (f"[{k}]" if k else "") for k in range(len(stack.variants))]
    return [parts.layer(layer, path) for layer, path in zip(stack.variants, paths, strict=True)]


def stack_changes(names: tuple[str, str], values: Values) -> Iterator[Change]:
    """Every change between the stacks called so, those of equal layers once."""
    old, new = names
    before, after = values.causes.before, values.causes.after
    one, other = before.graph[old].component, after.graph[new].component
    assert isinstance(one, Stack)
    assert isinstance(other, Stack)
    site = Site(old, new, new)
    for word in ("repeat", "share"):
        leaf = Parts(before).leaf(getattr(one, word), f"{old}.stack.{word}")
        then = Parts(after).leaf(getattr(other, word), f"{new}.stack.{word}")
        yield from values.leaf(site, word, leaf, then)
    layers = variants(before, old), variants(after, new)
    found = align(one, other, *layers)
    for kind, indices in found.removed.items():
        yield _kind(f"{old}.{ranges(indices)}", layers[0][kind], new, values, gone=True)
    rows: dict[Change, tuple[list[int], list[int]]] = {}
    for alike in found.alike:
        a, b = alike.kinds
        for change in layer_changes(layers[0][a], layers[1][b], f"{new}.layer", values):
            row = rows.setdefault(change, ([], []))
            row[0].extend(alike.before)
            row[1].extend(alike.after)
    every = sorted((len(one.order), len(other.order)))
    for change, row in rows.items():
        some = sorted(map(len, row)) != every and not found.regular
        told = _by_pattern(change, names, values) if some and _is_own(change) else change
        yield _in_layers(told, names, row)
    for kind, indices in found.added.items():
        yield _kind(f"{new}.{ranges(indices)}", layers[1][kind], new, values, gone=False)


def layer_changes(old: Layer, new: Layer, where: str, values: Values) -> Iterator[Change]:
    """Every change between two layers; paths begin at the sub-layer."""
    found = pairing(old, new, distance)
    for name in found.removed:
        yield values.change("removed", Site(name, "", f"{where}.{name}"), "", old[name], None)
    met = {name: before for before, name in found.pairs}
    for name in new:
        if name not in met:
            yield values.change("added", Site("", name, f"{where}.{name}"), "", None, new[name])
            continue
        before, site = met[name], Site(met[name], name, f"{where}.{name}")
        pair = old[before], new[name]
        if before != name:
            yield replace(values.change("renamed", site, "", *pair), before=before, after=name)
        if (before, name) in found.moved:
            told = _behind(before, old), _behind(name, new)
            yield replace(values.change("moved", site, "", *pair), before=told[0], after=told[1])
        yield from values.parts(site, *pair)


def _is_own(change: Change) -> bool:
    """Whether layers say it themselves; names, places and what is inherited follow no pattern."""
    elsewhere = (cause.what.startswith(("dims.", "defaults.")) for cause in change.causes)
    return change.kind not in ("renamed", "moved") and not all(elsewhere)


def _by_pattern(change: Change, names: tuple[str, str], values: Values) -> Change:
    """With the words that say which layers are of which kind: they differ too."""
    specs = values.causes.before, values.causes.after
    found = []
    for word in ("cycle", "at"):
        marks = [
            spec.marks.get(f"{name}.stack.{word}") for spec, name in zip(specs, names, strict=True)
        ]
        if any(marks):
            spans = [mark.span if mark else None for mark in marks]
            found.append(Cause(f"{names[1]}.{word}", *spans))
    return replace(change, causes=(*change.causes, *found))


def _in_layers(change: Change, names: tuple[str, str], row: Sequence[Sequence[int]]) -> Change:
    paths = (
        f"{name}.{ranges(indices)}.{path}" if path else ""
        for name, indices, path in zip(
            names, row, (change.before_path, change.after_path), strict=True
        )
    )
    before, after = paths
    return replace(change, before_path=before, after_path=after)


def _kind(path: str, layer: Layer, stack: str, values: Values, *, gone: bool) -> Change:
    """Layers of a kind that the other stack lacks."""
    whole = Part("layer", dict(layer), next(iter(layer.values())).span)
    if gone:
        return values.change("removed", Site(path, "", f"{stack}.layer"), "", whole, None)
    return values.change("added", Site("", path, f"{stack}.layer"), "", None, whole)


def _behind(name: str, layer: Layer) -> str:
    """`behind attn`, or `first`."""
    names = list(layer)
    at = names.index(name)
    return f"behind {names[at - 1]}" if at else "first"
