"""Loading: from a path, a mapping or standard input; digests, places, public names."""

import io
from pathlib import Path

import pytest

import archspec
from archspec.components.attention import Attention
from archspec.components.mlp import Mlp
from archspec.model.stack import Stack

ROOT = Path(__file__).parents[2]
GPT2 = ROOT / "specs" / "decoder" / "gpt2.yaml"
TINY = {
    "name": "tiny",
    "dims": {"d": 16, "f": "4*d"},
    "inputs": {"ids": "tokens"},
    "graph": {
        "tok": {"embed": {"vocab": 9, "dim": "d"}, "in": "ids"},
        "y": {"mlp": {"hidden": "f", "act": "gelu", "gated": True}},
    },
}


def test_public_names() -> None:
    assert archspec.__all__ == sorted(archspec.__all__, key=lambda n: (n.islower(), n))
    assert all(hasattr(archspec, name) for name in archspec.__all__)


def test_a_mapping() -> None:
    spec = archspec.load(TINY, set={"d": 32, "y.act": "relu"})
    assert (spec.path, dict(spec.dims)) == ("", {"d": 32, "f": 128})
    mlp = spec.graph["y"].component
    assert isinstance(mlp, Mlp)
    assert mlp.act == "relu"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(GPT2.read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert archspec.load("-").name == "gpt2"


@pytest.mark.parametrize(
    "value", [{"name": object()}, {"name": {1, 2}}, {1.5: {}}, {"name": float("nan")}]
)
def test_a_mapping_that_is_no_spec(value: dict[str, object]) -> None:
    assert isinstance(archspec.read(value), tuple)


def test_a_mapping_that_holds_itself() -> None:
    value: dict[str, object] = {}
    value["name"] = value
    found = archspec.read(value)
    assert isinstance(found, tuple)
    assert found[0].code == "AR0104"


def test_errors_of_a_mapping_quote_it() -> None:
    with pytest.raises(archspec.SpecError) as caught:
        archspec.load({**TINY, "grph": {}})
    assert "unknown key `grph`" in str(caught.value)
    assert '"grph": {}' in str(caught.value)


def test_the_digest_depends_on_bytes_files_and_patches(tmp_path: Path) -> None:
    a, b = tmp_path / "a.yaml", tmp_path / "b.yaml"
    a.write_bytes(GPT2.read_bytes())
    b.write_text(f"name: b\nextends: {a.name}\n")
    digests = {
        archspec.load(a).digest,
        archspec.load(a, set=["d_model=24"]).digest,
        archspec.load(b).digest,
    }
    assert archspec.load(GPT2).digest in digests
    a.write_bytes(GPT2.read_bytes() + b"# more\n")
    digests |= {archspec.load(a).digest, archspec.load(b).digest}
    assert len(digests) == 5
    assert all(len(digest) == 64 for digest in digests)


def test_every_place_is_where_the_text_says_it() -> None:
    spec = archspec.load(GPT2)
    lines = GPT2.read_text().splitlines()
    for path, mark in spec.marks.items():
        if mark.origin != "written" or not mark.said or "\n" in mark.said:
            continue
        span = mark.span
        found = lines[span.line - 1][span.column - 1 : span.end_column - 1]
        assert found.strip("'\"") == mark.said or span.end_line > span.line, path


def test_texts_of_expressions_are_kept() -> None:
    spec = archspec.load(GPT2)
    stack = spec.graph["h"].component
    assert isinstance(stack, Stack)
    attention = stack.variants[0].sublayers["attn"].mixers["attn"].component
    assert isinstance(attention, Attention)
    assert (attention.heads, attention.heads.said) == (12, "n_heads")
    assert (attention.kv_heads, attention.kv_heads.said) == (12, "n_heads")
    assert (stack.repeat.said, spec.dims["vocab"]) == ("n_layers", 50257)


def test_what_a_name_may_hold() -> None:
    name = 'quote " and \\ and """ and {{ x }} and ../../x\nand é'
    assert archspec.load({**TINY, "name": name, "about": name}).name == name


def test_a_missing_file() -> None:
    found = archspec.read("no/such/file.yaml")
    assert isinstance(found, tuple)
    assert [d.code for d in found] == ["AR0001"]
    assert [d.code for d in archspec.read(ROOT)] == ["AR0001"]  # type: ignore[union-attr]  # a folder
    assert [d.code for d in archspec.read("a\0b")] == ["AR0001"]  # type: ignore[union-attr]  # no path


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"\xff", 1, 1),
        (b"a: 1\n\xc3\xa9\xff", 2, 2),
        (b"a: 1\r  b: \xff", 2, 6),
        (b"\xef\xbb\xbfa\xff", 1, 2),
    ],
)
def test_where_a_text_ends_to_be_one(data: bytes, line: int, column: int, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(data)
    found = archspec.read(tmp_path / "a.yaml")
    assert isinstance(found, tuple)
    span = found[0].primary.span
    assert (found[0].code, span.line, span.column) == ("AR0002", line, column)
