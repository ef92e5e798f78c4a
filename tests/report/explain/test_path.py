"""Paths as people write them."""

import pytest

from compiler.report.explain.path import find, folded
from tests.report.reports import report

DEEP = report("decoder/deepseek-v3", T=64).costs


@pytest.mark.parametrize(
    ("path", "found", "layers"),
    [
        ("logits", ["logits"], 1),
        ("h.0.mlp.gate", ["h.0..3.mlp.gate"], 3),
        ("h.2.mlp.gate", ["h.0..3.mlp.gate"], 3),
        ("h.0..3.mlp.gate", ["h.0..3.mlp.gate"], 1),
        ("h.layer.mlp.gate", ["h.0..3.mlp.gate"], 1),
        ("h.layer.mlp.router", ["h.3..61.mlp.router"], 1),
        ("h.60.mlp.router", ["h.3..61.mlp.router"], 58),
        ("h.61.mlp.router", [], 0),
        ("h.0.mlp.router", [], 0),
        ("h.x.mlp.gate", [], 0),
        ("", [], 0),
        ("...", [], 0),
        ("logits.more", [], 0),
    ],
)
def test_what_is_found(path: str, found: list[str], layers: int) -> None:
    every = find(DEEP, path)
    assert [each.row.path for each in every] == found
    assert {each.layers for each in every} == ({layers} if layers else set())


def test_a_path_finds_all_that_is_below() -> None:
    assert len(find(DEEP, "h.layer")) == len(find(DEEP, "h"))
    assert {each.row for each in find(DEEP, "h")} < set(DEEP.rows)


def test_folded_paths_find_themselves() -> None:
    every = list(folded(DEEP))
    assert "h.layer.attn" in every
    assert all(find(DEEP, path) for path in every)
    assert len(every) == len(set(every))
