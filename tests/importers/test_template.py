import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.template import Template

WORD = st.from_regex(r"[a-zA-Z_][a-zA-Z_0-9]{0,6}", fullmatch=True)
INDEX = st.integers(0, 10**12).map(str)


@st.composite
def templates(draw: st.DrawFn) -> Template:
    """Words with captures between them, `{i}` perhaps twice, a `*` perhaps last."""
    parts = draw(st.lists(WORD | st.sampled_from(["{i}", "{j}", "block_{i}"]), min_size=1))
    return Template(".".join([*parts, *draw(st.sampled_from([[], ["*"], ["weight"]]))]))


@given(templates(), INDEX, INDEX, st.sampled_from(["weight", "bias"]))
def test_match_undoes_fill(template: Template, i: str, j: str, kind: str) -> None:
    captures = {"i": i, "j": j, "*": kind}
    wanted = {key: said for key, said in captures.items() if key in template.fields}
    assert template.match(template.fill(captures)) == wanted


@given(templates(), st.text(max_size=30))
def test_fill_undoes_match(template: Template, name: str) -> None:
    captures = template.match(name)
    assert captures is None or template.fill(captures) == name


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("h.{i}.q", "xh.1.q"),
        ("h.{i}.q", "h.1.q.weight"),
        ("h.{i}.q", "h.01.q"),
        ("h.{i}.q", "h.x.q"),
        ("h.{i}.q", "h.1.q\n"),
        ("h.{i}.q", "h.\u0661.q"),
        ("h.{i}.mlp.{i}.w", "h.1.mlp.2.w"),
        ("norm.*", "norm.gamma"),
        ("norm.*", "norm.weight.extra"),
        ("a.b", "axb"),
        ("*.inv_freq", "xinv_freq"),
    ],
)
def test_a_template_is_anchored_and_literal(template: str, name: str) -> None:
    assert Template(template).match(name) is None


@pytest.mark.parametrize("name", ["inv_freq", "a.inv_freq", "layers.0.rotary.inv_freq"])
def test_a_leading_star_is_any_prefix(name: str) -> None:
    assert Template("*.inv_freq").match(name) == {}


@pytest.mark.parametrize(
    "text", ["", " a", "a.*.b", "a*", "*.*.*", "a.{k}", "a.{", "a.}b", "{i}{j}", "{i}0{j}", "{}"]
)
def test_what_is_no_template_is_said(text: str) -> None:
    assert Template(text).fault()


@pytest.mark.parametrize("text", ["a", "a.*", "*.a", "h.{i}.experts.{j}.w1.weight", "b{i}_{j}"])
def test_what_is_a_template_is_none_at_fault(text: str) -> None:
    assert Template(text).fault() == ""


def test_head_is_the_first_plain_segment() -> None:
    heads = [Template(text).head for text in ("model.layers.{i}", "{i}.a", "norm", "*.x")]
    assert heads == ["model", "", "", ""]
