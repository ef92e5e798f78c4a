"""`weights:`, how a published checkpoint's names become ours."""

from collections.abc import Mapping
from dataclasses import field

from archspec.components.written import plain
from archspec.source.compose import first_line
from archspec.source.frozen import Frozen
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean
from archspec.source.tree import Entry, Scalar, Sequence, Table, Tree, described, is_none

RULE_KEYS = ("to", "op")


class WeightRules(Frozen):
    """A family's name, or rename rules: template to template, to `drop` or to `{to, op}`."""

    family: str
    rules: Mapping[str, str | Mapping[str, object]]
    span: Span = field(compare=False)
    spans: Mapping[str, Span] = field(compare=False, default_factory=dict)


def read_weights(entry: Entry | None, report: Report) -> WeightRules | None:
    if entry is None or is_none(entry.value):
        return None
    tree = entry.value
    report.mark("weights", "written", entry.key)
    if isinstance(tree, Scalar):
        return WeightRules(tree.text, {}, entry.key)
    if not isinstance(tree, Table):
        report.error(
            "AR0104",
            "`weights` is a family's name or a mapping of rules",
            first_line(tree.span),
            f"this is {described(tree)}",
        )
        return None
    rules: dict[str, str | Mapping[str, object]] = {}
    spans: dict[str, Span] = {}
    for name, rule in tree:
        spans[name] = rule.key
        read = read_rule(rule, report)
        if read is not None:
            rules[name] = read
    return WeightRules("", rules, entry.key, spans)


def read_rule(rule: Entry, report: Report) -> str | Mapping[str, object] | None:
    tree = rule.value
    if isinstance(tree, Scalar):
        return tree.text
    if isinstance(tree, Sequence):
        report.error(
            "AR0104",
            "a rule is a name, `drop` or `{to, op}`",
            first_line(tree.span),
            "this is a list",
            help="write `{to: […], op: split}`",
        )
        return None
    for key, option in tree:
        if key not in RULE_KEYS:
            hint = did_you_mean(key, RULE_KEYS)
            report.error("AR0102", f"unknown key `{key}`", option.key, hint)
    if "to" not in tree:
        report.error("AR0101", "a rule lacks `to`", rule.key, "required here")
        return None
    return {key: words(option.value) for key, option in tree if key in RULE_KEYS}


def words(tree: Tree) -> object:
    value = plain(tree, {})
    return strings(value)


def strings(value: object) -> object:
    if isinstance(value, list):
        return [strings(item) for item in value]
    if isinstance(value, dict):
        return {key: strings(item) for key, item in value.items()}
    return str(value) if isinstance(value, str) else value
