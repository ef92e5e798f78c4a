"""Edges: resolved to names, in an order that can be computed, of the right kind."""

import pytest

from tests.archspec.reading import HEAD, TOK, codes, spec


def graph(nodes: str, rest: str = "") -> str:
    return f"{HEAD}{rest}{TOK}{nodes}"


def test_a_node_reads_the_one_above() -> None:
    found = spec(
        graph("  a: {linear: {dim: 4}}\n  b: {linear: {dim: 4}, in: tok}\n  c: {pool: mean}\n")
    )
    assert {name: node.inputs for name, node in found.graph.items()} == {
        "tok": ("ids",),
        "a": ("tok",),
        "b": ("tok",),
        "c": ("b",),
    }
    assert found.outputs == ("c",)


def test_nodes_come_after_what_they_read() -> None:
    text = graph(
        "  a: {concat: {}, in: [b, tok]}\n  b: {linear: {dim: 4}, in: tok}\n", "outputs: a\n"
    )
    assert list(spec(text).graph) == ["tok", "b", "a"]


def test_the_last_written_node_is_the_output_even_if_computed_early() -> None:
    text = graph("  a: {concat: {}, in: [b, tok]}\n  b: {linear: {dim: 4}, in: tok}\n")
    assert spec(text).outputs == ("b",)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("  a: {linear: {dim: 4}, in: b}\n  b: {linear: {dim: 4}, in: a}\n", ["AR0403"]),
        ("  a: {linear: {dim: 4}, in: a}\n", ["AR0403"]),
        ("  a: {attention: {heads: 1, source: b}, in: tok}\n  b: {linear: {dim: 4}}\n", ["AR0403"]),
        ("  a: {linear: {dim: 4}, in: x}\n  b: {linear: {dim: 4}, in: y}\n", ["AR0401", "AR0401"]),
        ("  a: {linear: {dim: 4}, in: {b: c}}\n", ["AR0104"]),
        ("  a: {linear: {dim: 4}, in: []}\n", ["AR0104"]),
        ("  a: {linear: {dim: 4}, from: tok}\n", ["AR0102"]),
        ("  a: {linar: {dim: 4}}\n", ["AR0107"]),
        ("  a: {in: tok}\n", ["AR0106"]),
        ("  a: 3\n", ["AR0104"]),
        ("  ids: {linear: {dim: 4}, in: tok}\n", ["AR0405"]),
        ("  self: {linear: {dim: 4}}\n", ["AR0404"]),
        ("  none: {linear: {dim: 4}}\n", ["AR0404"]),
        ("  a: {linear: {dim: 4}, in: ids}\n", ["AR0407"]),
        ("  a: {stack: {repeat: 1, layer: {b: {conv: {kernel: 3}}}}, in: ids}\n", ["AR0407"]),
        ("  a: {attention: {heads: 1, source: ids}}\n", ["AR0407"]),
        ("  a: {concat: {}, in: [tok, ids]}\n", ["AR0407"]),
        ("  a: {linear: {dim: 4}, after: tok}\n", ["AR0509"]),
        ("  a: {stack: 3}\n", ["AR0104"]),
        ("  a: {stack: {repeat: 3}}\n", ["AR0101"]),
        ("  a: {stack: {}}\n", ["AR0101"]),
    ],
)
def test_what_is_refused(nodes: str, expected: list[str]) -> None:
    assert codes(graph(nodes)) == expected


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ("tok", []),
        ("[tok]", []),
        ("[]", ["AR0215"]),
        ("[tok, tok]", ["AR0409"]),
        ("[ids]", ["AR0401"]),
        ("[{a: b}]", ["AR0104"]),
    ],
)
def test_outputs(outputs: str, expected: list[str]) -> None:
    assert codes(graph("", f"outputs: {outputs}\n")) == expected


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        ("tokens", []),
        ("{tokens: {max: 9, padded: true}}", []),
        ("{tokens: {}}", []),
        ("{features: [T, 80]}", []),
        ("{features: {shape: [T, 80], max: 9, padded: true}}", []),
        ("{vectors: [N, 3]}", []),
        ("{mask: [T, T]}", []),
        ("{mask: [T, S]}", ["AR0208"]),
        ("{mask: [T, 7]}", []),
        ("{frames: [80, 3000]}", []),
        ("{image: [3, 4]}", ["AR0208"]),
        ("{image: [3, h, 4]}", ["AR0601"]),
        ("{image: [3, 0, 4]}", ["AR0202"]),
        ("{image: {shape: [3, 4, 4], padded: true}}", ["AR0102"]),
        ("image", ["AR0206"]),
        ("token", ["AR0206"]),
        ("{token: {}}", ["AR0206"]),
        ("{tokens: {maks: 3}}", ["AR0102"]),
        ("{tokens: {max: 0}}", ["AR0202"]),
        ("{tokens: {padded: 1}}", ["AR0104"]),
        ("{tokens: {segments: true}}", []),
        ("{tokens: {segments: 1}}", ["AR0104"]),
        ("{features: {shape: [T, 80], segments: true}}", []),
        ("{vectors: {shape: [N, 80], segments: true}}", ["AR0102"]),
        ("{tokens: {shape: [T]}}", ["AR0102"]),
        ("{tokens: 3}", ["AR0104"]),
        ("{features: {max: 3}}", ["AR0208"]),
        ("{features: [T, D]}", ["AR0302"]),
        ("{frames: [M, T]}", ["AR0302"]),
        ("{image: [C, 4, 4]}", ["AR0302"]),
        ("null", ["AR0206"]),
    ],
)
def test_inputs(one: str, expected: list[str]) -> None:
    text = f"name: t\ninputs: {{ids: tokens, x: {one}}}\n{TOK}"
    assert codes(text) == expected


def test_a_mask_takes_no_letter() -> None:
    text = f"name: t\ninputs: {{ids: tokens, seen: {{mask: [T, T]}}}}\n{TOK}"
    assert spec(text).inputs["ids"].shape == ("T",)
    assert spec(text).inputs["seen"].max is None


@pytest.mark.parametrize("attention", ["segments: true", "segments: false"])
def test_segments_are_obeyed_where_there_are_some(attention: str) -> None:
    text = f"{TOK}  y: {{attention: {{heads: 1, {attention}}}}}\n"
    packed = "name: t\ninputs: {ids: {tokens: {segments: true}}}\n"
    assert codes(f"{packed}{text}") == []
    assert codes(f"{HEAD}{text}") == (["AR0411"] if attention == "segments: true" else [])


def test_sequences_have_letters_and_lengths() -> None:
    given = "ids: tokens, more: tokens, f: {features: [T, 80]}, i: {image: [3, 4, 4]}"
    text = f"name: t\ninputs: {{{given}}}\n{TOK}"
    inputs = spec(text).inputs
    assert [one.shape for one in inputs.values()] == [("S",), ("U",), ("T", 80), (3, 4, 4)]
    assert [one.max for one in inputs.values()] == [2048, 2048, 2048, None]
    assert spec(f"{HEAD}{TOK}").inputs["ids"].shape == ("T",)
