"""Tables: aligned for a terminal, piped for Markdown."""

from compiler.report.table import Table

SAMPLE = Table(
    ("node", "size"), [("attn", "12"), ("a|b", "1 000")], frozenset({1}), [("total", "1 012")]
)


def test_columns_are_aligned_and_nothing_trails() -> None:
    assert SAMPLE.text() == [
        "node    size",
        "─────  ─────",
        "attn      12",
        "a|b    1 000",
        "─────  ─────",
        "total  1 012",
    ]
    assert SAMPLE.text("  ")[0] == "  node    size"


def test_markdown_has_its_pipes_escaped_and_its_foot_bold() -> None:
    assert SAMPLE.markdown() == [
        "| node | size |",
        "| --- | ---: |",
        "| attn | 12 |",
        "| a\\|b | 1 000 |",
        "| **total** | **1 012** |",
    ]


def test_the_first_columns_alone() -> None:
    assert SAMPLE.columns(1).text()[-1] == "total"


def test_a_table_without_a_foot_ends_with_its_rows() -> None:
    assert Table(("x",), [("1",)]).text() == ["x", "─", "1"]
