from pathlib import Path
from typing import Any

import pytest

from archspec.load import load
from compiler.importers.families import FAMILIES, rules_of
from compiler.importers.rules import Rules

SPECS = Path(__file__).parents[3] / "specs"
BERT = SPECS / "encoder" / "bert-base.yaml"


def with_weights(weights: Any) -> Any:
    return load(
        {
            "name": "small",
            "inputs": {"ids": "tokens"},
            "graph": {"tok": {"embed": {"vocab": 7, "dim": 8}, "in": "ids"}},
            "weights": weights,
        }
    )


def found(weights: Any) -> Any:
    spec = with_weights(weights)
    return rules_of(spec)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_well_formed_rules(family: str) -> None:
    assert isinstance(found(family), Rules)


def test_rules_are_those_that_the_spec_spells_out() -> None:
    rules = found({"wte.weight": "tok.weight", "*.mask": "drop"})
    assert isinstance(rules, Rules)
    assert [rule.source.text for rule in rules.rules] == ["wte.weight", "*.mask"]


@pytest.mark.parametrize(
    ("path", "family", "written"),
    [
        ("encoder/bert-base.yaml", "bert", "embeddings.word_embeddings.weight"),
        ("vision/dinov2-base.yaml", "dinov2", "layernorm.*"),
        ("vision/vit-b16-cls.yaml", "vit", "vit.layernorm.*"),
        ("decoder/gpt2.yaml", "gpt2", "transformer.wte.weight"),
        ("decoder/llama3-8b.yaml", "llama", "model.embed_tokens.weight"),
    ],
)
def test_names_have_the_prefix_of_a_whole_model_where_there_is_a_head(
    path: str, family: str, written: str
) -> None:
    """A bare body is written as transformers writes one; a tied head counts as one."""
    rules = rules_of(load(SPECS / path, set={"weights": family}))
    assert isinstance(rules, Rules)
    assert written in [rule.source.text for rule in rules.rules]


def test_an_unknown_family_is_said() -> None:
    (problem,) = found("beert")
    assert problem.code == "AR0714"
    assert "bert" in problem.primary.text


def test_a_malformed_rule_points_into_the_spec(tmp_path: Path) -> None:
    text = BERT.read_text().partition("\nweights:")[0]
    lines = [*text.splitlines(), "weights:", "  a.{i}.weight: b.{j}.weight"]
    (tmp_path / "s.yaml").write_text("\n".join(lines) + "\n")
    spec = load(tmp_path / "s.yaml")
    (problem,) = rules_of(spec)  # type: ignore[misc]
    assert problem.code == "AR0707"
    assert problem.primary.span.line == len(lines)
