"""What was added, removed, changed, renamed and moved between two resolved specs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from archspec.model.spec import Spec
from archspec.model.stack import Stack
from compiler.report.diff.beside import budget_changes, input_changes, output_changes, rest_changes
from compiler.report.diff.causes import Causes
from compiler.report.diff.change import Change
from compiler.report.diff.edges import edge_changes
from compiler.report.diff.pairing import Pairing, distance, pairing
from compiler.report.diff.parts import Part, Parts
from compiler.report.diff.stacks import stack_changes, variants
from compiler.report.diff.values import Site, Values


def nodes(before: Spec, after: Spec) -> Pairing:
    """Which nodes of two graphs are the same one."""
    old, new = ({name: _whole(spec, name) for name in spec.graph} for spec in (before, after))
    return pairing(old, new, distance)


def structure(before: Spec, after: Spec, met: Pairing) -> tuple[Change, ...]:
    """Every change: inputs, the graph in the order of the second spec, then what is beside it."""
    values = Values(Causes(before, after), met.renamed)
    found = [*input_changes(before, after, values), *_graph(before, after, met, values)]
    found += edge_changes(before, after, met, values)
    found += output_changes(before, after, values)
    found += rest_changes(before, after, values)
    found += budget_changes(before, after, values)
    return tuple(found)


def _graph(before: Spec, after: Spec, met: Pairing, values: Values) -> Iterator[Change]:
    for name in met.removed:
        yield values.change("removed", Site(name, "", name), "", _whole(before, name), None)
    old = {new: name for name, new in met.pairs}
    for name in after.graph:
        if name in old:
            yield from _node(old[name], name, values)
        else:
            yield values.change("added", Site("", name, name), "", None, _whole(after, name))


def _node(old: str, new: str, values: Values) -> Iterator[Change]:
    before, after = values.causes.before, values.causes.after
    pair = _whole(before, old), _whole(after, new)
    site = Site(old, new, new)
    if old != new:
        yield replace(values.change("renamed", site, "", *pair), before=old, after=new)
    stacks = [
        isinstance(spec.graph[n].component, Stack) for spec, n in ((before, old), (after, new))
    ]
    if all(stacks):
        yield from stack_changes((old, new), values)
    else:
        yield from values.parts(site, *pair)


def _whole(spec: Spec, name: str) -> Part:
    """A node as one part; a stack with its first kind of layers."""
    node, parts = spec.graph[name], Parts(spec)
    if not isinstance(node.component, Stack):
        return parts.node(node)
    repeat = parts.leaf(node.component.repeat, f"{name}.stack.repeat")
    return Part("stack", {"repeat": repeat, **variants(spec, name)[0]}, node.span)


def renamed_parts(met: Pairing, changes: Sequence[Change]) -> Callable[[str], str]:
    """What a component of the first spec is called in the second: `h.layer.mlp` for
    `blocks.layer.ffn`."""
    layers = {
        f"{change.component.rpartition('.')[0]}.{change.before}": change.component
        for change in changes
        if change.kind == "renamed" and ".layer." in change.component
    }

    def name(component: str) -> str:
        node, dot, rest = component.partition(".")
        found = met.renamed.get(node, node) + dot + rest
        sub = ".".join(found.split(".")[:3])
        return layers.get(sub, sub) + found[len(sub) :]

    return name
