"""Rename rules: from the names in a file to our own, read from the spec's `weights:` mapping."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.importers.misfit import Misfit
from compiler.importers.operators import Apart, Operator, Stack, Unstack, parse_operator
from compiler.importers.template import Captures, Template

DROP = "drop"


class Rule(Frozen):
    """A template of file names, the templates of parameters it gives, and what is done on the way.

    Without targets the tensors are dropped. The source of a `stack` and the targets of an `unstack`
    have a `{j}` that the other side lacks.
    """

    source: Template
    targets: tuple[Template, ...] = ()
    operators: tuple[Operator, ...] = ()

    @property
    def gathers(self) -> bool:
        """Whether several keys, one for each `{j}`, make one parameter."""
        return any(isinstance(operator, Stack) for operator in self.operators)

    @property
    def spreads(self) -> bool:
        """Whether one key makes a parameter for each `{j}`."""
        return any(isinstance(operator, Unstack) for operator in self.operators)


class Rules(Frozen):
    """Rules in order: a plain name is looked up first, then the first template that matches."""

    rules: tuple[Rule, ...]

    @cached_property
    def _exact(self) -> Mapping[str, Rule]:
        return {rule.source.text: rule for rule in reversed(self.rules) if rule.source.literal}

    @cached_property
    def _open(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if not rule.source.literal)

    def find(self, key: str) -> tuple[Rule, Captures] | None:
        """The rule for a key of a file and what its captures stand for, or nothing."""
        exact = self._exact.get(key)
        if exact is not None:
            return exact, {}
        for rule in self._open:
            captures = rule.source.match(key)
            if captures is not None:
                return rule, captures
        return None

    def key_of(self, name: str) -> str | None:
        """The key of a file that a parameter is read from, by the first rule that gives it."""
        for rule in self.rules:
            for target in rule.targets:
                captures = target.match(name)
                if captures is not None and not rule.source.open_start:
                    return rule.source.fill({"j": "0", "*": "weight", **captures})
        return None


def parse_rules(
    said: Mapping[str, Any], place: Callable[[str], Span]
) -> Rules | tuple[Diagnostic, ...]:
    """The rules of a `weights:` mapping; `place` gives the span of the rule with a key.

    A value is a name, `drop`, or `{to: name or [names], op: operator or [operators]}`.
    Malformed rules are diagnostics AR0707, all of them.
    """
    parsed = {source: _rule(source, value) for source, value in said.items()}
    wrong = tuple(
        _malformed(source, rule.reason, place(source))
        for source, rule in parsed.items()
        if isinstance(rule, Misfit)
    )
    return wrong or Rules(tuple(rule for rule in parsed.values() if isinstance(rule, Rule)))


def _malformed(source: str, reason: str, span: Span) -> Diagnostic:
    hint = "a rule is `file.name.{i}.*: our.name.{i}.*`, `name: drop`, or `{to: [...], op: ...}`"
    return Diagnostic(
        "AR0707", f"the rename rule for `{source}` is malformed", Label(span, reason), help=hint
    )


def _rule(source: str, value: Any) -> Rule | Misfit:
    template = Template(source)
    if value == DROP:
        return Misfit(template.fault()) if template.fault() else Rule(template)
    to, op = (value.get("to"), value.get("op", ())) if isinstance(value, Mapping) else (value, ())
    if isinstance(value, Mapping) and set(value) - {"to", "op"}:
        return Misfit(f"`{min(set(value) - {'to', 'op'})}` is not `to` or `op`")
    names, words = _texts(to), _texts(op)
    if not names:
        return Misfit("a parameter name, `drop`, or a mapping with `to` is expected")
    if words is None:
        return Misfit("`op` is the name of an operator or a list of them")
    operators: list[Operator] = []
    for word in words:
        operator = parse_operator(word, len(names))
        if isinstance(operator, Misfit):
            return operator
        operators.append(operator)
    rule = Rule(template, tuple(map(Template, names)), tuple(operators))
    fault = _fault(rule)
    return Misfit(fault) if fault else rule


def _texts(value: Any) -> list[str] | None:
    items = [value] if isinstance(value, str) else value
    fits = isinstance(items, list | tuple) and all(isinstance(item, str) for item in items)
    return list(items) if fits else None


def _fault(rule: Rule) -> str:
    """Why `rule` cannot be followed both ways, or nothing."""
    for template in (rule.source, *rule.targets):
        if template.fault():
            return template.fault()
        if template.open_start:
            return "a name that starts with `*` can only be dropped"
    if len({target.text for target in rule.targets}) < len(rule.targets):
        return "a parameter is named twice in `to`"
    return _fault_of_operators(rule) or _fault_of_captures(rule)


def _fault_of_operators(rule: Rule) -> str:
    kinds = [type(operator) for operator in rule.operators]
    apart = [n for n, operator in enumerate(rule.operators) if isinstance(operator, Apart)]
    if len(rule.targets) > 1 and len(apart) != 1:
        return "several targets need one of split, deinterleave and regroup"
    if len(rule.targets) == 1 and apart:
        return "one target has nothing to be split into"
    if kinds.count(Unstack) + kinds.count(Stack) > 1:
        return "stack and unstack are used once"
    if Stack in kinds and kinds[0] is not Stack:
        return "stack comes first"
    if Unstack in kinds and apart and kinds.index(Unstack) > apart[0]:
        return "unstack comes before split, deinterleave and regroup"
    return ""


def _fault_of_captures(rule: Rule) -> str:
    moved = frozenset({"j"}) if rule.gathers or rule.spreads else frozenset[str]()
    source = rule.source.fields - moved if rule.gathers else rule.source.fields | moved
    for target in rule.targets:
        if target.fields != source:
            return f"`{target.text}` and `{rule.source.text}` do not hold the same captures"
    if moved and ("j" in rule.source.fields) != rule.gathers:
        return "`{j}` stands in the source of a stack and in the targets of an unstack"
    return ""
