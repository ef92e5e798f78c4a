from typing import Any

import pytest

from archspec.source.span import Span
from compiler.importers.operators import Split, Transpose
from compiler.importers.rules import Rules, parse_rules


def place(key: str) -> Span:
    return Span("spec.yaml", len(key) + 1, 1, len(key) + 1, 2)


def parsed(said: dict[str, Any]) -> Rules:
    rules = parse_rules(said, place)
    assert isinstance(rules, Rules), rules
    return rules


def test_the_three_forms_of_a_rule() -> None:
    rules = parsed(
        {
            "a.{i}.*": "h.{i}.*",
            "a.{i}.mask": "drop",
            "c.{i}.*": {"to": ["h.{i}.q.*", "h.{i}.k.*"], "op": ["transpose", "split"]},
        }
    )
    plain, dropped, fused = rules.rules
    assert [target.text for target in plain.targets] == ["h.{i}.*"]
    assert dropped.targets == ()
    assert fused.operators == (Transpose(), Split())


def test_a_plain_name_goes_before_templates_and_these_go_in_order() -> None:
    rules = parsed({"a.{i}.*": "x.{i}.*", "*.weight": "drop", "a.0.weight": "drop"})
    found = {key: rules.find(key) for key in ("a.0.weight", "a.1.weight", "b.weight", "b.bias")}
    sources = {key: hit and hit[0].source.text for key, hit in found.items()}
    assert sources == {
        "a.0.weight": "a.0.weight",
        "a.1.weight": "a.{i}.*",
        "b.weight": "*.weight",
        "b.bias": None,
    }


@pytest.mark.parametrize(
    "value",
    [
        3,
        "",
        [],
        {"op": "split"},
        {"to": "b", "if": "c"},
        {"to": "b", "op": 3},
        {"to": "b", "op": "rotate"},
        {"to": ["b", "c"]},
        {"to": ["b", "b"], "op": "split"},
        {"to": "b", "op": "split"},
        {"to": "h.{i}.b"},
        "b.*",
        "*.b",
        {"to": "b.{j}", "op": "stack"},
        {"to": "b", "op": "unstack"},
        {"to": ["b.{j}", "c.{j}"], "op": ["split", "unstack"]},
        {"to": ["b", "c"], "op": ["split", "split"]},
        {"to": "b", "op": ["unstack", "stack"]},
        {"to": "b", "op": ["transpose", "stack"]},
        {"to": ["b", "c"], "op": "regroup(H K)"},
        None,
    ],
)
def test_a_malformed_rule_is_one_diagnostic_at_its_place(value: object) -> None:
    found = parse_rules({"fine": "ours", "wrong": value}, place)
    assert isinstance(found, tuple)
    assert [(problem.code, problem.primary.span) for problem in found] == [
        ("AR0707", place("wrong"))
    ]


def test_all_malformed_rules_are_said() -> None:
    found = parse_rules({"a.{k}": "b", "c": "d.{i}", "e": "f"}, place)
    assert isinstance(found, tuple)
    assert [problem.primary.span for problem in found] == [place("a.{k}"), place("c")]


def test_wildcards_at_the_start_only_drop() -> None:
    assert isinstance(parse_rules({"*.inv_freq": "x.inv_freq"}, place), tuple)
    assert isinstance(parse_rules({"*.inv_freq": "drop"}, place), Rules)
