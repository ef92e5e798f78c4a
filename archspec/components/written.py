"""Text of a spec on its way into a component: a string that knows which names it may use."""

from archspec.source.compose import value_of
from archspec.source.expression import Scope
from archspec.source.tree import Scalar, Sequence, Tree


class Written(str):
    """A scalar that is not a YAML number: a word, or an expression over `scope`."""

    scope: Scope

    def __new__(cls, text: str, scope: Scope) -> "Written":
        self = super().__new__(cls, text)
        self.scope = scope
        return self


def plain(tree: Tree, scope: Scope) -> object:
    """The tree as Python values: numbers, booleans, `Written`, lists and dicts of them."""
    if isinstance(tree, Scalar):
        value = value_of(tree)
        return Written(value, tree.scope or scope) if isinstance(value, str) else value
    if isinstance(tree, Sequence):
        return [plain(item, scope) for item in tree.items]
    return {key: plain(entry.value, scope) for key, entry in tree}
