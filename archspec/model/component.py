"""Reading a component where it stands: with the bias that it inherits."""

from archspec.components.build import build
from archspec.components.component import Component
from archspec.components.keys import known, nested
from archspec.model.catalog import COMPONENTS
from archspec.model.surroundings import Surroundings
from archspec.source.span import Span
from archspec.source.tree import Entry, Scalar, Table, Tree, is_none


def read_component(word: str, entry: Entry, path: str, around: Surroundings) -> Component | None:
    """The component, with `bias` from the defaults where it is inherited and not written."""
    kind, tree = COMPONENTS[word], entry.value
    around.report.mark(path, "written", entry.key)
    said = around.defaults.spans.get("bias")
    if said is not None:
        tree = _with_bias(kind, tree, path, said, around)
    return build(kind, tree, entry.key, path, around.scope, around.report)


def _with_bias(
    kind: type[Component], tree: Tree, path: str, said: Span, around: Surroundings
) -> Tree:
    """What is written of a component, with the `bias` of the defaults for it and its parts where
    they inherit one and write none."""
    if not isinstance(tree, Table):
        return tree
    for name, field in known(kind).items():
        part = tree.get(name)
        for inner in nested(kind, field):
            if part is not None and inner.inherits_bias:
                filled = _with_bias(inner, part, f"{path}.{name}", said, around)
                tree = tree.put(name, Entry(tree.key(name), filled))
    if not kind.inherits_bias:
        return tree
    if is_none(tree.get("bias")):
        tree = tree.drop("bias")
    if "bias" in tree:
        return tree
    around.report.mark(f"{path}.bias", "defaults", said)
    value = Scalar("true" if around.defaults.bias else "false", said)
    return tree.put("bias", Entry(said, value))
