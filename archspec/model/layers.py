"""Reading a layer: its sub-layers and their mixers."""

import math
from dataclasses import dataclass
from typing import Final

from archspec.components.attention import Attention
from archspec.components.build import build
from archspec.components.catalog import COMPONENTS, EXTENSIONS, INHERITS_BIAS, LATER, MIXERS
from archspec.components.component import Component
from archspec.components.fields import real
from archspec.components.norm import Norm
from archspec.components.written import plain
from archspec.model.defaults import Defaults, read_norm, read_norm_at
from archspec.model.dropout import read_dropout
from archspec.model.init import read_init
from archspec.model.stack import Mixer, SubLayer
from archspec.model.words import SUBLAYER_KEYS
from archspec.source.compose import first_line
from archspec.source.expression import Scope
from archspec.source.fault import Fault
from archspec.source.names import check_name
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Scalar, Table, described, is_none

INNER: Final = {"moe": ("expert", "shared"), "pool": ("attention",)}
"""Parts of components that inherit a bias."""


@dataclass(frozen=True)
class Surroundings:
    """What a layer is read with."""

    scope: Scope
    defaults: Defaults
    report: Report


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


def read_mixers(
    name: str, entry: Entry, tree: Table, path: str, around: Surroundings
) -> dict[str, Mixer] | None:
    report = around.report
    words = [word for word in tree.entries if word in MIXERS or word == "parallel"]
    for key, option in tree:
        if key not in words and key not in SUBLAYER_KEYS:
            unknown_in_sublayer(key, option, bool(words), report)
    if len(words) != 1:
        strange = any(key not in SUBLAYER_KEYS and key not in words for key in tree.entries)
        if words or not strange:
            label = "two at once" if words else "none here"
            place = tree.key(words[1]) if words else entry.key
            report.error(
                "AR0106",
                f"sub-layer `{name}` has one of {listed((*MIXERS, 'parallel'))}",
                place,
                label,
            )
        return None
    if words == ["parallel"]:
        return read_parallel(tree.entries["parallel"], path, around)
    word = words[0]
    if is_none(tree.entries[word].value):
        report.error(
            "AR0106",
            f"sub-layer `{name}` has no mixer",
            tree.key(word),
            "absent here",
            help=f"to drop the sub-layer, set `{name}: none`",
        )
        return None
    component = read_component(word, tree.entries[word], f"{path}.{word}", around)
    if component is None:
        return None
    return {name: mixer(component, None, entry.key)}


def mixer(component: Component, norm: Norm | None, span: Span) -> Mixer:
    cross = isinstance(component, Attention) and component.source != "self"
    source = component.source if cross and isinstance(component, Attention) else None
    return Mixer(component, norm, span, source)


def unknown_in_sublayer(key: str, option: Entry, has_mixer: bool, report: Report) -> None:
    if key in LATER:
        message = f"`{key}` is part of the language but not of this version"
        report.error("AR0103", message, option.key, "not yet")
    elif key in EXTENSIONS.faults:
        message = f"component `{key}` could not be added to the language"
        report.error("AR0107", message, option.key, EXTENSIONS.faults[key])
    elif key in COMPONENTS or key == "stack":
        report.error(
            "AR0408",
            f"`{key}` cannot stand in a sub-layer",
            option.key,
            "this belongs into the graph",
            help=f"a sub-layer has one of {listed((*MIXERS, 'parallel'))}",
        )
    else:
        known = SUBLAYER_KEYS[:-1] if has_mixer else (*MIXERS, "parallel", *SUBLAYER_KEYS[:-1])
        report.error("AR0102", f"unknown key `{key}`", option.key, did_you_mean(key, known))


def read_parallel(entry: Entry, path: str, around: Surroundings) -> dict[str, Mixer] | None:
    report = around.report
    if not isinstance(entry.value, Table) or not entry.value.entries:
        label = f"this is {described(entry.value)}"
        report.error(
            "AR0104", "`parallel` is a mapping of mixers", first_line(entry.value.span), label
        )
        return None
    found: dict[str, Mixer] = {}
    for name, branch in entry.value:
        try:
            check_name(name, "a mixer")
        except Fault as fault:
            report.fault(fault, branch.key)
        read = read_branch(name, branch, f"{path}.parallel.{name}", around)
        if read is not None:
            found[name] = read
    return found if len(found) == len(entry.value.entries) else None


def read_branch(name: str, entry: Entry, path: str, around: Surroundings) -> Mixer | None:
    report, tree = around.report, entry.value
    report.mark(path, "written", entry.key)
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", f"mixer `{name}` wants a mapping", first_line(tree.span), label)
        return None
    words = [word for word in tree.entries if word in MIXERS]
    for key, option in tree:
        if key in SUBLAYER_KEYS and key != "norm":
            label = "belongs to the sub-layer around `parallel`"
            report.error("AR0102", f"unknown key `{key}`", option.key, label)
        elif key not in words and key != "norm":
            unknown_in_sublayer(key, option, bool(words), report)
    if len(words) != 1:
        if words or set(tree.entries) <= {"norm"}:
            message = f"mixer `{name}` has one of {listed(MIXERS)}"
            report.error("AR0106", message, entry.key, "two at once" if words else "none here")
        return None
    norm: Norm | None = None
    if (written := tree.entries.get("norm")) is not None:
        norm = read_norm(written.value, written.key, f"{path}.norm", around.scope, report)
    component = read_component(words[0], tree.entries[words[0]], f"{path}.{words[0]}", around)
    return None if component is None else mixer(component, norm, entry.key)


def read_component(word: str, entry: Entry, path: str, around: Surroundings) -> Component | None:
    """The component, with `bias` from the defaults where it is inherited and not written."""
    tree = entry.value
    around.report.mark(path, "written", entry.key)
    said = around.defaults.spans.get("bias")
    if word in INHERITS_BIAS and said is not None and isinstance(tree, Table):
        if is_none(tree.get("bias")):
            tree = tree.drop("bias")
        if "bias" not in tree:
            around.report.mark(f"{path}.bias", "defaults", said)
            value = Scalar("true" if around.defaults.bias else "false", said)
            tree = tree.put("bias", Entry(said, value))
    if said is not None and isinstance(tree, Table):
        for name in INNER.get(word, ()):
            tree = _with_inner_bias(name, tree, path, said, around)
    return build(COMPONENTS[word], tree, entry.key, path, around.scope, around.report)


def _with_inner_bias(name: str, tree: Table, path: str, said: Span, around: Surroundings) -> Table:
    """A component whose part `name` has the `bias` of the defaults where it writes none."""
    part = tree.get(name)
    if not isinstance(part, Table):
        return tree
    if is_none(part.get("bias")):
        part = part.drop("bias")
    if "bias" in part:
        return tree
    around.report.mark(f"{path}.{name}.bias", "defaults", said)
    value = Scalar("true" if around.defaults.bias else "false", said)
    return tree.put(name, Entry(tree.key(name), part.put("bias", Entry(said, value))))
