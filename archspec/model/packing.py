"""Mask inputs and packed documents: that lengths are somebody's, that what is obeyed is there."""

from dataclasses import replace

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.components.embed import Embed
from archspec.components.positions import Learned, Positions
from archspec.model.graph import attentions
from archspec.model.input import PACKED, Input, Inputs
from archspec.model.spec import Graph, Node
from archspec.model.stack import Stack, SubLayer
from archspec.source.report import Report
from archspec.source.suggest import listed


def check_packing(graph: Graph, inputs: Inputs, report: Report) -> None:
    """Reports masks over no sequence of the model, and `segments` where no input has them."""
    check_lengths(inputs, report)
    heads = {name: name for name in inputs}
    for node in graph.values():
        heads[node.name] = heads.get(node.inputs[0], "") if node.inputs else ""
        given = inputs.get(heads[node.name])
        if given is not None and given.segments:
            continue
        for path, attention in attentions(node):
            if attention.segments and written(f"{path}.segments", report):
                missing(f"{path}.segments", given, report)
        path = learned_path(node)
        if path:
            missing(path, given, report)


def with_segments(graph: Graph, inputs: Inputs) -> Graph:
    """The graph in which an attention obeys segments only where its input has them."""
    heads = {name: name for name in inputs}
    filled: Graph = {}
    for name, node in graph.items():
        heads[name] = heads.get(node.inputs[0], "") if node.inputs else ""
        given = inputs.get(heads[name])
        packed = given is not None and given.segments
        filled[name] = node if packed else replace(node, component=unpacked(node.component))
    return filled


def unpacked(part: Component | Stack) -> Component | Stack:
    if isinstance(part, Attention):
        return part.model_copy(update={"segments": False})
    if not isinstance(part, Stack):
        return part
    variants = tuple(
        replace(layer, sublayers={n: lone(sub) for n, sub in layer.sublayers.items()})
        for layer in part.variants
    )
    return replace(part, variants=variants)


def lone(sub: SubLayer) -> SubLayer:
    mixers = {
        name: replace(mixer, component=mixer.component.model_copy(update={"segments": False}))
        if isinstance(mixer.component, Attention)
        else mixer
        for name, mixer in sub.mixers.items()
    }
    return replace(sub, mixers=mixers)


def check_lengths(inputs: Inputs, report: Report) -> None:
    """That every letter of a mask's shape is the length of another input."""
    others = [one for one in inputs.values() if one.kind != "mask"]
    lengths = sorted({size for one in others for size in one.shape if isinstance(size, str)})
    for one in inputs.values():
        strange = [size for size in one.shape if isinstance(size, str) and size not in lengths]
        if one.kind == "mask" and strange:
            report.error(
                "AR0208",
                f"`{one.name}` has the length `{strange[0]}`, which no other input has",
                report.place(f"inputs.{one.name}", one.span),
                f"the lengths are {listed(lengths, 'and')}" if lengths else "no length is free",
            )


def learned_path(node: Node) -> str:
    """Where a learned table of a node counts within segments, or nothing."""
    part = node.component
    if not isinstance(part, Component):
        return ""
    table = part.positions if isinstance(part, Embed) else None
    table = part.table if isinstance(part, Positions) else table
    if not isinstance(table, Learned) or table.from_ != "segments":
        return ""
    inner = "positions" if isinstance(part, Embed) else "table"
    return f"{node.name}.{part.word}.{inner}.from"


def written(path: str, report: Report) -> bool:
    mark = report.marks.get(path)
    return mark is not None and mark.origin == "written"


def missing(path: str, given: Input | None, report: Report) -> None:
    node = report.marks[path.split(".")[0]].span
    name = given.name if given else ""
    can = given is not None and given.kind in PACKED
    report.error(
        "AR0411",
        "`segments` needs an input that has them",
        report.place(path, node),
        f"`{name}` has none" if given else "no input has them here",
        help=f"write `{name}: {{{given.kind}: {{segments: true}}}}`" if given and can else "",
    )
