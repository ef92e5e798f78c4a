"""Ties of a spec that a checkpoint does not keep: the tensors decide, with a warning."""

from dataclasses import replace
from pathlib import Path

from archspec.components.embed import Embed
from archspec.components.unembed import Unembed
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, SpecError
from archspec.source.frozen import Frozen
from archspec.source.number import Sized
from compiler.importers.checkpoint import open_checkpoint
from compiler.importers.claims import Claims
from compiler.importers.differences import untied as warning
from compiler.importers.fill import claims_of
from compiler.importers.ties import Rift, rifts
from compiler.importers.weights_file import Checkpoint
from compiler.ir.program import Program
from compiler.passes.fuse import fuse
from compiler.pipeline.passes import lowered
from compiler.pipeline.reading import Reading, reading_of
from compiler.pipeline.weights import NO_FILE


class Untied(Frozen):
    """A spec without the ties that its weights do not keep, its program, and what was said."""

    spec: Spec
    plain: Program
    warnings: tuple[Diagnostic, ...] = ()


def untie(spec: Spec, plain: Program, asked: str) -> Untied:
    """Give every tied table that differs in the checkpoint `asked` a table of its own.

    Configurations say that a head is tied when it is not. Raises SpecError where the checkpoint
    cannot be opened or the spec's rules are malformed.
    """
    found = Untied(spec, plain)
    if asked in NO_FILE or not _ties(spec):
        return found
    opened = open_checkpoint(Path(asked))
    if isinstance(opened, tuple):
        raise SpecError(opened)
    while rift := _first(found, opened):
        found = _without(found, rift, opened)
    return found


def _ties(spec: Spec) -> bool:
    parts = [node.component for node in spec.graph.values()]
    return any(
        (isinstance(part, Unembed) and part.tie) or (isinstance(part, Embed) and part.share)
        for part in parts
    )


def _first(found: Untied, opened: Checkpoint) -> Rift | None:
    """A tie that is not kept, an embedding's before a head's: the head may keep to that one."""
    reading = reading_of(found.spec, found.plain, fuse(found.plain))
    broken = rifts(_claims(reading, opened), reading.ties)
    return min(broken, key=lambda rift: _is_head(found.spec, rift), default=None)


def _is_head(spec: Spec, rift: Rift) -> bool:
    return isinstance(spec.graph[_node(rift.alias)].component, Unembed)


def _node(parameter: str) -> str:
    return parameter.partition(".")[0]


def _claims(reading: Reading, opened: Checkpoint) -> Claims:
    return claims_of(
        reading.shapes, opened, reading.rules, reading.fusions, reading.ties, reading.sizes
    )


def _without(found: Untied, rift: Rift, opened: Checkpoint) -> Untied:
    name, tie, own = _own_table(found.spec, rift)
    node = found.spec.graph[name]
    assert isinstance(node.component, Embed | Unembed)
    part = node.component.model_copy(update={tie: None, **own})
    patches = (f"{name}.{tie}=none", *(f"{name}.{key}={size.said}" for key, size in own.items()))
    spec = replace(
        found.spec,
        graph={**found.spec.graph, name: replace(node, component=part)},
        settings=(*found.spec.settings, *patches),
    )
    said = warning(opened.path, rift, patches)
    return Untied(spec, lowered(spec), (*found.warnings, said))


def _own_table(spec: Spec, rift: Rift) -> tuple[str, str, dict[str, Sized]]:
    """The node that is tied, its key that ties it, and the sizes of a table like its owner's."""
    name, table = _node(rift.alias), spec.graph[_node(rift.owner)].component
    assert isinstance(table, Embed) and table.vocab is not None and table.dim is not None
    if _is_head(spec, rift):
        return name, "tie", {"vocab": table.vocab}
    return name, "share", {"vocab": table.vocab, "dim": table.dim}
