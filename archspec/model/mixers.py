"""Reading the mixers of a sub-layer: one, or several in parallel."""

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.components.norm import Norm
from archspec.model.catalog import COMPONENTS, LATER, extensions, mixers, mixes
from archspec.model.component import read_component
from archspec.model.defaults import read_norm
from archspec.model.stack import Mixer
from archspec.model.surroundings import Surroundings
from archspec.model.words import SUBLAYER_KEYS
from archspec.source.compose import first_line
from archspec.source.fault import Fault
from archspec.source.names import check_name
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Table, described, is_none


def read_mixers(
    name: str, entry: Entry, tree: Table, path: str, around: Surroundings
) -> dict[str, Mixer] | None:
    report = around.report
    words = [word for word in tree.entries if word == "parallel" or mixes(word)]
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
                f"sub-layer `{name}` has one of {listed((*mixers(), 'parallel'))}",
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
    elif key in extensions().faults:
        message = f"component `{key}` could not be added to the language"
        report.error("AR0107", message, option.key, extensions().faults[key])
    elif key in COMPONENTS or key == "stack":
        report.error(
            "AR0408",
            f"`{key}` cannot stand in a sub-layer",
            option.key,
            "this belongs into the graph",
            help=f"a sub-layer has one of {listed((*mixers(), 'parallel'))}",
        )
    else:
        known = SUBLAYER_KEYS[:-1] if has_mixer else (*mixers(), "parallel", *SUBLAYER_KEYS[:-1])
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
    words = [word for word in tree.entries if mixes(word)]
    for key, option in tree:
        if key in SUBLAYER_KEYS and key != "norm":
            label = "belongs to the sub-layer around `parallel`"
            report.error("AR0102", f"unknown key `{key}`", option.key, label)
        elif key not in words and key != "norm":
            unknown_in_sublayer(key, option, bool(words), report)
    if len(words) != 1:
        if words or set(tree.entries) <= {"norm"}:
            message = f"mixer `{name}` has one of {listed(mixers())}"
            report.error("AR0106", message, entry.key, "two at once" if words else "none here")
        return None
    norm: Norm | None = None
    if (written := tree.entries.get("norm")) is not None:
        norm = read_norm(written.value, written.key, f"{path}.norm", around.scope, report)
    component = read_component(words[0], tree.entries[words[0]], f"{path}.{words[0]}", around)
    return None if component is None else mixer(component, norm, entry.key)
