"""Reading a layer: its sub-layers, each one residual step around its mixers."""

import math

from archspec.components.fields import real
from archspec.components.norm import Norm
from archspec.components.written import plain
from archspec.model.defaults import read_norm, read_norm_at
from archspec.model.dropout import read_dropout
from archspec.model.init import read_init
from archspec.model.mixers import read_mixers
from archspec.model.stack import SubLayer
from archspec.model.surroundings import Surroundings
from archspec.source.compose import first_line
from archspec.source.fault import Fault
from archspec.source.names import check_name
from archspec.source.span import Span
from archspec.source.tree import Entry, Scalar, Table, described, is_none


def read_sublayers(layer: Table, path: str, around: Surroundings) -> dict[str, SubLayer]:
    found: dict[str, SubLayer] = {}
    for name, entry in layer:
        try:
            check_name(name, "a sub-layer")
        except Fault as fault:
            around.report.fault(fault, entry.key)
        around.report.mark(f"{path}.{name}", "written", entry.key)
        sublayer = read_sublayer(name, entry, f"{path}.{name}", around)
        if sublayer is not None:
            found[name] = sublayer
    if not layer.entries:
        place = first_line(layer.span)
        around.report.error("AR0215", "a layer needs a sub-layer", place, "nothing here")
    return found


def read_sublayer(name: str, entry: Entry, path: str, around: Surroundings) -> SubLayer | None:
    report, scope, defaults = around.report, around.scope, around.defaults
    tree = entry.value
    if not isinstance(tree, Table):
        message = f"sub-layer `{name}` wants a mapping"
        report.error("AR0104", message, first_line(tree.span), f"this is {described(tree)}")
        return None
    mixers = read_mixers(name, entry, tree, path, around)
    for key in ("branch_scale", "skip_scale", "layerscale", "drop_path"):
        report.mark(f"{path}.{key}", "written" if key in tree else "default", tree.key(key))
    norm, norm_at = read_placement(tree, entry.key, path, around)
    dropout, init = defaults.dropout, defaults.init
    if (option := tree.entries.get("dropout")) is not None:
        dropout = read_dropout(option.value, option.key, f"{path}.dropout", scope, report)
    else:
        inherited(f"{path}.dropout", "dropout", entry.key, around)
    if (option := tree.entries.get("init")) is not None:
        init = read_init(option.value, option.key, f"{path}.init", scope, report)
    else:
        inherited(f"{path}.init", "init", entry.key, around)
    if mixers is None:
        return None
    return SubLayer(
        name=name,
        mixers=mixers,
        parallel="parallel" in tree,
        norm=norm,
        norm_at=norm_at,
        branch_scale=read_factor(tree, "branch_scale", around, 1.0),
        skip_scale=read_factor(tree, "skip_scale", around, 1.0),
        layerscale=read_layerscale(tree, around),
        drop_path=read_factor(tree, "drop_path", around, 0.0, (0.0, 1.0)),
        dropout=dropout,
        init=init,
        span=entry.key,
    )


def read_factor(
    tree: Table,
    name: str,
    around: Surroundings,
    default: float,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> float:
    entry = tree.entries.get(name)
    if entry is None or is_none(entry.value):
        return default
    try:
        return real(plain(entry.value, around.scope), *within)
    except Fault as fault:
        if fault.message.startswith("must "):
            fault.message = f"`{name}` {fault.message}"
        place = entry.value.span if isinstance(entry.value, Scalar) else entry.key
        around.report.fault(fault, place)
        return default


def read_layerscale(tree: Table, around: Surroundings) -> float | None:
    entry = tree.entries.get("layerscale")
    if entry is None or is_none(entry.value):
        return None
    return read_factor(tree, "layerscale", around, 1.0)


def read_placement(
    tree: Table, key: Span, path: str, around: Surroundings
) -> tuple[Norm | None, frozenset[str]]:
    """The norm and its places; both or neither."""
    report, defaults = around.report, around.defaults
    norm, places = defaults.norm, defaults.norm_at
    written_norm, written_at = tree.entries.get("norm"), tree.entries.get("norm_at")
    if written_norm is not None:
        before = len(report.diagnostics)
        report.mark(f"{path}.norm", "written", written_norm.key)
        norm = read_norm(written_norm.value, written_norm.key, f"{path}.norm", around.scope, report)
        if len(report.diagnostics) > before:
            return None, frozenset()
    else:
        inherited(f"{path}.norm", "norm", key, around)
    if written_at is not None:
        report.mark(f"{path}.norm_at", "written", written_at.value.span)
        places = read_norm_at(written_at.value, report)
    else:
        inherited(f"{path}.norm_at", "norm_at", key, around)
    if norm is not None and places is None:
        report.error(
            "AR0207",
            "a norm without a place",
            written_norm.key if written_norm else defaults.spans.get("norm", key),
            "where does it stand?",
            help="add `norm_at: pre`, `post`, `out` or a list of them",
        )
    if written_norm is None and norm is None and places and "norm" not in defaults.spans:
        report.error(
            "AR0207",
            "a place without a norm",
            written_at.value.span if written_at else defaults.spans.get("norm_at", key),
            "which norm?",
            help="add `norm: {layer: 1e-5}` or `norm: {rms: 1e-6}`",
        )
    if norm is None or not places:
        return None, frozenset()
    return norm, places


def inherited(path: str, name: str, key: Span, around: Surroundings) -> None:
    span = around.defaults.spans.get(name)
    around.report.mark(path, "default" if span is None else "defaults", span or key)
