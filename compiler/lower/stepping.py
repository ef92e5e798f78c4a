"""Which input a recurrent decoder reads step by step, its states going from call to call."""

from typing import Final

from archspec.components.concat import Concat
from archspec.components.dropout import Dropout
from archspec.components.embed import Embed
from archspec.components.linear import Linear
from archspec.components.mean_of import MeanOf
from archspec.components.mlp import Mlp
from archspec.components.norm import Norm
from archspec.components.rnn import Rnn
from archspec.components.unembed import Unembed
from archspec.model.finals import node_of
from archspec.model.spec import Node, Spec
from compiler.lower.inputs import attentions, origins

EACH: Final = (Concat, Dropout, Linear, MeanOf, Mlp, Norm, Unembed)
"""Components that give each position from that position alone."""


def stepped_input(spec: Spec) -> str:
    """The tokens that recurrent decoders read, where every node on their path can go step by step.

    A decoder is an `rnn` that starts from, reads or looks at another node. Empty where there is
    none, where decoders read several inputs, or where something on the path needs more than its
    own position and a state.
    """
    origin = origins(spec)
    heads = {origin[name] for name, node in spec.graph.items() if _decodes(node)}
    if len(heads) != 1:
        return ""
    (head,) = heads
    given = spec.inputs.get(head)
    if given is None or given.kind != "tokens" or given.padded or given.segments:
        return ""
    for name, node in spec.graph.items():
        reads = {origin.get(node_of(edge), "") for edge in (*node.inputs, *_sources(node))}
        if origin[name] == head and not (_steps(node) and reads == {head} | _beside(node, origin)):
            return ""
        if origin[name] != head and head in reads:
            return ""
    return head


def _decodes(node: Node) -> bool:
    part = node.component
    return isinstance(part, Rnn) and any((part.start, part.context, part.attend))


def _steps(node: Node) -> bool:
    part = node.component
    if isinstance(part, Embed):
        return part.positions is None and not part.types
    if isinstance(part, Rnn):
        return not part.bidirectional
    return isinstance(part, EACH) and not (isinstance(part, Concat) and part.axis == "position")


def _sources(node: Node) -> list[str]:
    """The edges that a node reads besides its main path."""
    found = [one.source for one in attentions(node) if one.source != "self"]
    part = node.component
    if isinstance(part, Rnn):
        looked = part.attend.source if part.attend is not None else None
        found += [edge for edge in (part.start, part.context, looked) if edge is not None]
    return found


def _beside(node: Node, origin: dict[str, str]) -> set[str]:
    """Where a decoder's states and source come from."""
    return {origin.get(node_of(edge), "") for edge in _sources(node)}
