"""A spec with everything explicit: defaults filled in, expressions computed, edges resolved."""

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from archspec.components.component import Component
from archspec.model.budget import Limit
from archspec.model.catalog import OWN
from archspec.model.defaults import Defaults
from archspec.model.dropout import DropoutRates
from archspec.model.init import Init
from archspec.model.input import Input
from archspec.model.stack import Stack
from archspec.model.weights import WeightRules
from archspec.source.frozen import Frozen
from archspec.source.number import Sized
from archspec.source.report import Mark
from archspec.source.span import Span

LAYER = re.compile(r"(?P<stack>[A-Za-z]\w*)\.(?P<index>\d+)(?P<rest>\..*)?\Z")


class Node(Frozen):
    """One named value of the graph; `inputs` are the nodes or inputs that it reads.

    An attention's `source` and its mask input are edges too and stand in the component.
    """

    name: str
    component: Component | Stack
    inputs: tuple[str, ...]
    span: Span = field(compare=False)

    @property
    def components(self) -> list[Component]:
        """Its component, or every mixer of its stack."""
        return [component for component, _ in self.placed]

    @property
    def placed(self) -> list[tuple[Component, Span]]:
        """The same, each with its place."""
        if not isinstance(self.component, Stack):
            return [(self.component, self.span)]
        subs = [sub for layer in self.component.variants for sub in layer.sublayers.values()]
        return [(mixer.component, mixer.span) for sub in subs for mixer in sub.mixers.values()]


Graph = dict[str, Node]


class Spec(Frozen):
    """What a spec file says. `graph` is in an order in which every edge comes from above.

    `path` is as given (`""` from a mapping), `files` are the spec and the ones it extends and
    `settings` the patches it was read with, as `--set` takes them. `digest` is the SHA-256 of all
    their bytes. `defaults` is what `defaults:` says, for nodes outside stacks: `dropout.embed`
    behind embeddings and patches, `init` for their parameters.
    """

    name: str
    about: str
    path: str
    digest: str
    dims: Mapping[str, Sized | float]
    inputs: Mapping[str, Input]
    graph: Mapping[str, Node]
    outputs: tuple[str, ...]
    budget: Mapping[str, Limit]
    weights: WeightRules | None
    defaults: Defaults
    files: tuple[str, ...] = ()
    settings: tuple[str, ...] = field(compare=False, default=())
    span: Span = field(compare=False, default=Span("", 1, 1, 1, 1))
    marks: Mapping[str, Mark] = field(compare=False, repr=False, default_factory=dict)

    @property
    def dropout(self) -> DropoutRates:
        return self.defaults.dropout

    @property
    def init(self) -> Init:
        return self.defaults.init

    @cached_property
    def added(self) -> tuple[str, ...]:
        """The words of its components that are an extension's."""
        found = (part.word for node in self.graph.values() for part in node.components)
        return tuple(dict.fromkeys(word for word in found if word not in OWN))

    def _repr_html_(self) -> str:
        """For a notebook."""
        from archspec.notebook import spec_html

        return spec_html(self)

    def mark_of(self, path: str) -> Mark | None:
        """Where a value comes from; a path as `h.layer.attn.attention.heads` or `h.3.attn.…`.

        Differing layers of a stack are `h.layer` (variant 0) and `h.layer[k]` (variant k). The
        component word may be left out (`h.layer.attn.heads`). The longest known beginning of the
        path counts.
        """
        path = self.by_variant(path)
        while path:
            owner, _, name = path.rpartition(".")
            for known in (path, *(f"{owner}.{word}.{name}" for word in (*OWN, *self.added))):
                if known in self.marks:
                    return self.marks[known]
            path = owner
        return None

    def span_of(self, path: str) -> Span:
        """The place in the source of a value, of its default's owner, or of what surrounds it."""
        mark = self.mark_of(path)
        return self.span if mark is None else mark.span

    def by_variant(self, path: str) -> str:
        match = LAYER.match(path)
        node = self.graph.get(match["stack"]) if match else None
        if match is None or node is None or not isinstance(node.component, Stack):
            return path
        order, index = node.component.order, int(match["index"])
        variant = order[index] if index < len(order) else 0
        layer = f"{match['stack']}.layer" + (f"[{variant}]" if variant else "")
        return layer + (match["rest"] or "")
