"""What is understood and cannot be built: one diagnostic, at the words that are to blame."""

import re
import textwrap

import pytest

import archspec
from compiler.ir.program import Program
from compiler.lower import lower

HEAD = "name: m\ninputs: {ids: tokens, x: {features: [T, 16]}}\n"
CASES = {
    "heads and width": (
        "AR0303",
        "`heads` must divide the width, 16",
        "5 does not divide 16",
        "graph: {y: {attention: {heads: «5»}, in: x}}",
    ),
    "heads in a layer": (
        "AR0303",
        "`heads` must divide the width, 16",
        "3 does not divide 16",
        """
        defaults: {norm: l2, norm_at: pre}
        graph:
          e: {embed: {vocab: 9, dim: 16}, in: ids}
          h:
            stack:
              repeat: 2
              layer:
                attn: {attention: {heads: «3», mask: causal}}
        """,
    ),
    "odd rotary width": (
        "AR0304",
        "rotary positions turn pairs of coordinates",
        "1 of 1 coordinates cannot be paired",
        "graph: {y: {attention: {heads: 16, «rope»: {theta: 100}}, in: x}}",
    ),
    "half a rotary coordinate": (
        "AR0304",
        "rotary positions turn pairs of coordinates",
        "2.5 of 4 coordinates cannot be paired",
        "graph: {y: {attention: {heads: 4, «rope»: {fraction: 0.625}}, in: x}}",
    ),
    "no rotary coordinate": (
        "AR0304",
        "rotary positions turn pairs of coordinates",
        "0.004 of 4 coordinates cannot be paired",
        "graph: {y: {attention: {heads: 4, «rope»: {fraction: 0.001}}, in: x}}",
    ),
    "rotary width above the head's": (
        "AR0304",
        "rotary positions turn pairs of coordinates",
        "6 of 4 coordinates cannot be paired",
        "graph: {y: {attention: {heads: 4, «rope»: {dim: 6}}, in: x}}",
    ),
    "residual width": (
        "AR0306",
        "a residual step ends in the width that it began with",
        "16 wide comes in, 12 wide comes out",
        """
        graph:
          h:
            stack:
              repeat: 2
              layer:
                «attn»: {attention: {heads: 4, projections: qkv, head_dim: 3}, norm_at: none}
            in: x
        """,
    ),
    "mean of two widths": (
        "AR0301",
        "`y` is [B T 8] here but [B T 16] there",
        "here, in `z`",
        """
        graph:
          y: {linear: {dim: 8}, in: x}
          «z»: {mean_of: {}, in: [x, y]}
        """,
    ),
    "positions of an odd width": (
        "AR0304",
        "sinusoids come in pairs",
        "the width 7 is odd",
        """
        graph:
          a: {linear: {dim: 7}, in: x}
          «y»: {positions: {sinusoid: {max: 9}}}
        """,
    ),
    "sinusoids of one pair that divide by no pair": (
        "AR0304",
        "`span: d-2` needs two pairs of sinusoids",
        "one pair is here",
        """
        graph:
          a: {linear: {dim: 2}, in: x}
          «y»: {positions: {sinusoid: {max: 9, span: d-2}}}
        """,
    ),
    "attention over a pooled vector": (
        "AR0301",
        "`attention` takes a sequence of vectors, 3 dimensions",
        "2 dimensions come in",
        """
        graph:
          a: {pool: mean, in: x}
          «y»: {attention: {heads: 4}}
        """,
    ),
    "attention to a pooled vector": (
        "AR0301",
        "`source` takes a sequence of vectors, 3 dimensions",
        "2 dimensions come in",
        """
        graph:
          a: {pool: mean, in: x}
          «y»: {attention: {heads: 4, source: a}, in: x}
        """,
    ),
    "a pool of a pool": (
        "AR0301",
        "port `x` takes 3 dimensions, not 2",
        "here, in `y`",
        """
        graph:
          a: {pool: mean, in: x}
          «y»: {pool: first}
        """,
    ),
}


def program(text: str) -> str:
    """The spec without its marks."""
    return HEAD + textwrap.dedent(text).replace("«", "").replace("»", "")


def marked(text: str) -> tuple[int, int, int]:
    """Line, column and end of what stands between the marks."""
    whole = HEAD + textwrap.dedent(text)
    before, inside, _ = re.split("[«»]", whole)
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
    return line, column, column + len(inside)


@pytest.mark.parametrize("name", CASES)
def test_the_diagnostic_says_what_and_points_at_it(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    code, message, label, text = CASES[name]
    path = tmp_path_factory.mktemp("spec") / "spec.yaml"
    path.write_text(program(text), encoding="utf-8")
    found = lower(archspec.load(path))
    assert not isinstance(found, Program)
    (diagnostic,) = found
    span = diagnostic.primary.span
    assert (diagnostic.code, diagnostic.message) == (code, message)
    assert label in diagnostic.primary.text
    assert span.file == str(path)
    assert (span.line, span.column) == marked(text)[:2]


def test_running_out_of_letters_is_a_diagnostic() -> None:
    inputs = {f"x{i}": {"vectors": ["N", 4]} for i in range(40)}
    graph = {f"y{i}": {"norm": "l2", "in": f"x{i}"} for i in range(40)}
    spec = {"name": "m", "inputs": inputs, "graph": graph, "outputs": list(graph)}
    found = lower(archspec.load(spec))
    assert not isinstance(found, Program)
    assert found[0].code == "AR0390"
    assert "more kinds of dimension than there are letters" in found[0].message


def refused(inputs: dict[str, object], graph: dict[str, object]) -> tuple[str, str]:
    found = lower(archspec.load({"name": "m", "inputs": inputs, "graph": graph}))
    assert not isinstance(found, Program)
    return found[0].code, found[0].message


@pytest.mark.parametrize("pool", [{"index": 4}, {"index": -5}, {"mean": {"skip": 4}}], ids=str)
def test_a_pool_stays_within_a_sequence_of_fixed_length(pool: object) -> None:
    cells = {"patches": {"size": 2, "image": 4, "dim": 8}, "in": "image"}
    found = refused({"image": {"image": [3, 4, 4]}}, {"x": cells, "y": {"pool": pool}})
    assert found == ("AR0305", "the pool reaches past a sequence of length 4")


@pytest.mark.parametrize("word", ["norm", "linear", "pool", "stack"])
def test_an_image_is_no_row_of_vectors(word: str) -> None:
    layer = {"mlp": {"mlp": {"hidden": 4, "act": "relu"}}}
    options = {"norm": "l2", "linear": {"dim": 4}, "pool": "mean"}
    node = {word: options.get(word, {"repeat": 1, "layer": layer})}
    filters = {"conv": {"kernel": 3, "dim": 4}, "in": "image"}
    code, message = refused({"image": {"image": [3, 8, 8]}}, {"x": filters, "y": node})
    assert (code, message) == ("AR0301", f"`{word}` takes vectors in the last dimension")


@pytest.mark.parametrize("kind", ["mask", "types"])
def test_what_goes_with_an_input_keeps_its_name(kind: str) -> None:
    table = {"embed": {"vocab": 9, "dim": 8, "types": 2}}
    graph = {f"ids_{kind}": {**table, "in": "ids"}}
    spec = {"name": "m", "inputs": {"ids": {"tokens": {"padded": True}}}, "graph": graph}
    found = lower(archspec.load(spec))
    assert not isinstance(found, Program)
    assert (found[0].code, found[0].message) == ("AR0405", f"name `ids_{kind}` is taken")
