"""How long inputs may be, by what is written and by the tables of positions on their way."""

from dataclasses import replace

from archspec.components.component import Component
from archspec.components.concat import Concat
from archspec.components.conv import Conv
from archspec.components.conv_stem import ConvStem
from archspec.components.embed import Embed
from archspec.components.positions import Learned, Positions
from archspec.model.input import Inputs
from archspec.model.spec import Graph, Node
from archspec.model.stack import Stack
from archspec.source.number import Sized
from archspec.source.report import Report

DEFAULT_LENGTH = 2048


def with_lengths(inputs: Inputs, graph: Graph, report: Report) -> Inputs:
    """Context lengths: written, else the positions' of the node that reads the input, else 2048."""
    filled: Inputs = {}
    for name, one in inputs.items():
        report.mark(f"inputs.{name}.max", "default", one.span)
        free = one.kind != "mask" and any(isinstance(size, str) for size in one.shape)
        lengths = table_lengths(name, graph)
        longest = one.max
        if longest is None and free:
            longest = min(lengths.values(), default=Sized(DEFAULT_LENGTH))
        filled[name] = replace(one, max=longest)
        for node, rows in lengths.items():
            if longest is not None and rows < longest and is_learned(graph[node].component):
                report.error(
                    "AR0305",
                    f"`max` is {longest} and `{node}` has {rows} positions",
                    report.place(f"inputs.{name}.max", one.span),
                    f"at most {rows}",
                    others=((graph[node].span, "a table of positions"),),
                )
    return filled


def is_learned(part: Component | Stack) -> bool:
    table = part.positions if isinstance(part, Embed) else None
    return isinstance(part.table if isinstance(part, Positions) else table, Learned)


def counts_anew(node: Node) -> bool:
    """Whether a node has other positions than what it reads."""
    part = node.component
    if isinstance(part, Conv):
        return part.stride != (1, 1) or (part.pad != "same" and not part.causal)
    return isinstance(part, ConvStem) or (isinstance(part, Concat) and part.axis == "position")


def table_lengths(name: str, graph: Graph) -> dict[str, Sized]:
    """The lengths of the tables of positions on the path from an input, by their nodes."""
    lengths: dict[str, Sized] = {}
    heads = {name: name}
    for node in graph.values():
        heads[node.name] = "" if counts_anew(node) else heads.get(node.inputs[0], "")
        part = node.component
        table = part.positions if isinstance(part, Embed) else None
        table = part.table if isinstance(part, Positions) else table
        if table is not None and heads[node.name] == name:
            lengths[node.name] = table.size if isinstance(table, Learned) else table.max
    return lengths
