"""The resolved spec as YAML says the same model again, and where each value comes from."""

from dataclasses import replace
from pathlib import Path

import pytest

import archspec
from archspec.resolve import explain_resolved
from archspec.source.span import NOWHERE

ROOT = Path(__file__).parents[2]
SPECS = sorted(path for path in (ROOT / "specs").glob("*/*.yaml") if path.parent.name != "broken")
RICH = """\
name: 'rich: "quoted"'
about: two towers
dims: {d: 32, n: 4}
inputs:
  x: {features: [T, 32]}
  m: {mask: [T, T]}
  f: {frames: [8, 99]}
  ids: {tokens: {max: 64, padded: true}}
defaults: {norm: {rms: {eps: 1e-6, unit_offset: true}}, norm_at: [pre, out], dropout: 0.1}
blocks:
  tower: {params: {heads: 2}, layer: {attn: {attention: {heads: heads, mask: m}}}}
graph:
  tok: {embed: {vocab: 50, dim: d, positions: {sinusoid: {max: 64, layout: halves}}}, in: ids}
  y: {positions: {learned: 99}, in: x}
  h:
    stack:
      repeat: 4
      layer: {use: tower, with: {heads: n}}
      cycle: [{}, {attn.bias: qv, attn.norm_at: none}]
      at:
        -1:
          mlp:
            parallel:
              a: {mlp: {hidden: d, act: silu}, norm: {layer: 1e-5}}
              b: {conv: {kernel: 3}}
  both: {concat: {}, in: [tok, h]}
  one: {pool: {mean: {skip: 1}}}
  last: {pool: {eos: {ids: ids, token: max_id}}, in: tok}
  short:
    conv_stem:
      convs: [{kernel: 3}, {kernel: d, stride: 2, pad: 1}]
      in_dim: 8
      dim: d
      act: gelu
    in: f
  asked: {pool: {attention: {heads: n, bias: qo}}}
  alike: {contrast: {temperature: 0.07}, in: [asked, last]}
outputs: [one, last, alike]
budget: {"parameters@{B: 1}": 1e6}
"""


def same(one: archspec.Spec, other: archspec.Spec) -> None:
    for name in ("name", "about", "dims", "graph", "outputs", "budget", "weights"):
        assert getattr(one, name) == getattr(other, name)
    inputs = [{n: replace(i, span=NOWHERE) for n, i in s.inputs.items()} for s in (one, other)]
    assert inputs[0] == inputs[1]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_it_loads_to_the_same_model(path: Path, tmp_path: Path) -> None:
    """As it is shown, with its origins, within the bytes that a spec may have."""
    spec = archspec.load(path)
    (tmp_path / "again.yaml").write_text(explain_resolved(spec))
    same(archspec.load(tmp_path / "again.yaml"), spec)


def test_every_construct_comes_back(tmp_path: Path) -> None:
    (tmp_path / "rich.yaml").write_text(RICH)
    spec = archspec.load(tmp_path / "rich.yaml")
    (tmp_path / "again.yaml").write_text(explain_resolved(spec))
    same(archspec.load(tmp_path / "again.yaml"), spec)


def test_origins() -> None:
    path = ROOT / "specs" / "decoder" / "gpt3-175b.yaml"
    lines = explain_resolved(archspec.load(path, set=["n_heads=48"])).splitlines()
    said = [tuple(" ".join(part.split()) for part in line.split("  # ")) for line in lines]
    for expected in (
        ("d_model: 12288", "line 8"),
        ("n_heads: 48", "--set 1"),
        ("d_ff: 49152", "gpt2.yaml:7: 4*d_model"),
        ("heads: 48", "gpt2.yaml:20: n_heads"),
        ("kv_heads: 48", "default"),
        ("bias: qkvo", "defaults, gpt2.yaml:12"),
        ("in: h", "default: the node above"),
    ):
        assert expected in said


def test_layers_that_come_round_are_a_cycle() -> None:
    """However deep a stack is, what repeats is said once."""
    path = ROOT / "specs" / "decoder" / "gemma2-2b.yaml"
    shown = [explain_resolved(archspec.load(path, set=[f"n_layers={n}"])) for n in (26, 200)]
    assert len({len(each.splitlines()) for each in shown}) == 1
    assert [each.count("window:") for each in shown] == [2, 2]


def test_layers_that_come_round_but_for_one_are_told_once() -> None:
    path = ROOT / "specs" / "encoder" / "modernbert-base.yaml"
    shown = [explain_resolved(archspec.load(path, set=[f"n_layers={n}"])) for n in (22, 28, 61)]
    assert len({len(each.splitlines()) for each in shown}) == 1
    assert [each.count("window:") for each in shown] == [5, 5, 5]
