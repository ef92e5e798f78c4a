"""`extends`: mappings by key, lists and values as a whole, other components whole."""

from pathlib import Path

import pytest

import archspec
from archspec.components.attention import Attention
from archspec.components.norm import Norm
from archspec.components.rope_scaling import DynamicScaling
from archspec.model.stack import Stack
from archspec.source.number import Sized

BELOW = """\
name: below
dims: {d: 16, n: 2}
inputs: {ids: tokens}
defaults: {norm: {layer: 1e-5}, norm_at: pre, bias: true}
graph:
  tok: {embed: {vocab: 9, dim: d, positions: {learned: 8}}, in: ids}
  h:
    stack:
      repeat: n
      layer:
        attn: {attention: {heads: 4, mask: causal}}
        mlp: {mlp: {hidden: 4*d, act: relu}}
  logits: {unembed: {tie: tok}}
outputs: [logits, h]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("below.yaml").write_text(BELOW)


def above(text: str) -> archspec.Spec:
    Path("above.yaml").write_text(f"name: above\nextends: below.yaml\n{text}")
    return archspec.load("above.yaml")


def above_codes(text: str) -> list[str]:
    Path("above.yaml").write_text(f"name: above\nextends: below.yaml\n{text}")
    found = archspec.read("above.yaml")
    return [d.code for d in found] if isinstance(found, tuple) else []


def test_mappings_merge_and_lists_replace() -> None:
    found = above("dims: {n: 3}\noutputs: [h]\ndefaults: {bias: false}\n")
    assert (found.name, dict(found.dims), found.outputs) == ("above", {"d": 16, "n": 3}, ("h",))
    assert found.defaults.norm == Norm(kind="layer", eps=1e-5)
    assert not found.defaults.bias


def test_another_form_replaces_the_whole() -> None:
    found = above(
        "defaults: {norm: {rms: 1e-6}}\ngraph: {tok: {embed: {positions: {sinusoid: {max: 4}}}}}\n"
    )
    assert found.defaults.norm == Norm(kind="rms", eps=1e-6, bias=False)
    assert found.inputs["ids"].max == 4


def test_another_scaling_of_positions_replaces_the_one_below() -> None:
    linear = "{scaling: {linear: {factor: 4}}}"
    text = Path("below.yaml").read_text().replace("causal}", f"causal, rope: {linear}}}")
    Path("below.yaml").write_text(text)
    rope = "{scaling: {dynamic: {factor: 2, original: 64}}}"
    attn = f"{{attention: {{rope: {rope}}}}}"
    found = above(f"graph: {{h: {{stack: {{layer: {{attn: {attn}}}}}}}}}\n").graph["h"].component
    assert isinstance(found, Stack)
    attention = found.variants[0].sublayers["attn"].mixers["attn"].component
    assert isinstance(attention, Attention) and attention.rope
    assert attention.rope.scaling == DynamicScaling(factor=2.0, original=Sized(64))


def test_another_component_replaces_the_node_and_the_sub_layer() -> None:
    found = above(
        "graph: {logits: {linear: {dim: 5}}, h: {stack: {layer: {mlp: {conv: {kernel: 3}}}}}}\n"
    )
    assert [node.component for node in found.graph.values()][2].word == "linear"  # type: ignore[union-attr]  # no stack
    stack = found.graph["h"].component
    assert isinstance(stack, Stack)
    words = {n: s.mixers[n].component.word for n, s in stack.variants[0].sublayers.items()}
    assert words == {"attn": "attention", "mlp": "conv"}


def test_new_nodes_come_last_or_after_a_name() -> None:
    new = "{linear: {dim: 16}%s}"
    assert list(above(f"graph: {{x: {new % ', in: h'}}}\n").graph)[-1] == "x"
    names = list(above(f"graph: {{x: {new % ', after: tok'}, y: {new % ', after: x'}}}\n").graph)
    assert names == ["tok", "x", "y", "h", "logits"]


def test_a_new_node_changes_what_the_next_one_reads() -> None:
    found = above("graph: {x: {linear: {dim: 16}, after: tok}}\n")
    assert found.graph["h"].inputs == ("x",)


def test_new_sub_layers_after_a_name() -> None:
    found = above("graph: {h: {stack: {layer: {c: {conv: {kernel: 3}, after: attn}}}}}\n")
    stack = found.graph["h"].component
    assert isinstance(stack, Stack)
    assert list(stack.variants[0].sublayers) == ["attn", "c", "mlp"]


def test_set_comes_after_the_merge_and_chains_work() -> None:
    above("set: {d: 32}\ndims: {d: 8}\n")
    Path("third.yaml").write_text("name: third\nextends: above.yaml\nset: {n: 1}\n")
    found = archspec.load("third.yaml")
    assert dict(found.dims) == {"d": 32, "n": 1}
    assert found.files == ("third.yaml", "above.yaml", "below.yaml")


def test_places_name_the_file() -> None:
    found = above("set: {h.layer.attn.heads: 2}\n")
    assert found.span_of("h.layer.attn.attention.heads").file == "above.yaml"
    assert found.span_of("h.layer.attn.attention.mask").file == "below.yaml"
    assert str(found.span_of("h.1.mlp.mlp.hidden")) == "below.yaml:12:29"
    assert found.span_of("h.1.mlp.hidden") == found.span_of("h.layer.mlp.mlp.hidden")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("graph: {x: {linear: {dim: 16}, after: nope}}\n", ["AR0509"]),
        ("graph: {x: {linear: {dim: 16}, after: x}}\n", ["AR0509"]),
        ("graph: {h: {after: tok}}\n", ["AR0509"]),
        ("set: {h.layer.atn: none}\n", ["AR0501"]),
        ("set: 3\n", ["AR0104"]),
        ("graph: none\n", ["AR0104"]),
        ("extend: x\n", ["AR0102"]),
    ],
)
def test_what_is_refused(text: str, expected: list[str]) -> None:
    assert above_codes(text) == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("gone.yaml", "AR0001"),
        ("a.yaml", "AR0504"),
        ("b.yaml", "AR0504"),
        (".", "AR0001"),
        ("[x]", "AR0104"),
    ],
)
def test_what_cannot_be_extended(target: str, expected: str) -> None:
    Path("b.yaml").write_text("name: b\nextends: a.yaml\n")
    Path("a.yaml").write_text(f"name: a\nextends: {target}\n")
    found = archspec.read("a.yaml")
    assert isinstance(found, tuple)
    assert [d.code for d in found] == [expected]


def test_errors_below_are_reported_below() -> None:
    Path("below.yaml").write_text(BELOW.replace("heads: 4", "hads: 4"))
    Path("above.yaml").write_text("name: above\nextends: below.yaml\n")
    found = archspec.read("above.yaml")
    assert isinstance(found, tuple)
    assert str(found[0].primary.span) == "below.yaml:11:28"
