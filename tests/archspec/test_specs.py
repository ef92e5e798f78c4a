"""The project's own specs say what their papers say."""

import re
from math import prod
from pathlib import Path

import pytest

import archspec
from archspec.components.attention import Attention
from archspec.components.embed import Embed
from archspec.components.mlp import Mlp
from archspec.components.patches import Patches
from archspec.model.stack import Stack

ROOT = Path(__file__).parents[2]
SPECS = sorted(path for path in (ROOT / "specs").glob("*/*.yaml") if path.parent.name != "broken")


def spec(name: str) -> archspec.Spec:
    return archspec.load(next(path for path in SPECS if path.stem == name))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_it_loads_and_names_itself(path: Path) -> None:
    found = archspec.load(path)
    number = r"^\d+-" if path.parent.name == "history" else "^$"
    assert found.name == re.sub(number, "", path.stem)
    assert len(found.about) > 20  # another size of a model says whose and when
    lines = path.read_text().splitlines()
    assert lines[0] == "# yaml-language-server: $schema=../../archspec/archspec.schema.json"
    assert lines[1] == "archspec: 1"
    assert len(lines) <= 60
    assert all(len(line) <= 100 for line in lines)


# Layers, heads, key/value heads and inner width, from the papers.
PAPERS = {
    "gpt2": (12, 12, 12, 3072),
    "gpt3-175b": (96, 96, 96, 49152),
    "llama3-8b": (32, 32, 8, 14336),
    "bert-base": (12, 12, 12, 3072),
    "minilm-l6": (6, 12, 12, 1536),
    "vit-b16-cls": (12, 12, 12, 3072),
    "vit-b16-mean": (12, 12, 12, 3072),
    "transformer-base": (6, 8, 8, 2048),
    "transformer-big": (6, 16, 16, 4096),
}


@pytest.mark.parametrize("name", PAPERS)
def test_sizes_are_the_papers(name: str) -> None:
    for node in spec(name).graph.values():
        if not isinstance(node.component, Stack):
            continue
        (layer,) = node.component.variants
        mixers = [m.component for s in layer.sublayers.values() for m in s.mixers.values()]
        heads = {(part.heads, part.kv_heads) for part in mixers if isinstance(part, Attention)}
        (hidden,) = {part.hidden for part in mixers if isinstance(part, Mlp)}
        assert (len(node.component.order), *heads.pop(), hidden) == PAPERS[name]
        assert not heads


def test_gpt2_and_gpt3_have_their_published_number_of_parameters() -> None:
    """GPT-3, table 2.1, by the closed formula L(12d² + 13d) + (V + P)d + 2d."""
    for name, published in (("gpt2", 124_439_808), ("gpt3-175b", 174_604_259_328)):
        dims = spec(name).dims
        layers, width = dims["n_layers"], dims["d_model"]
        count = layers * (12 * width**2 + 13 * width) + 2 * width
        assert count + (dims["vocab"] + dims["max_len"]) * width == published


def test_both_tables_of_the_transformer_are_one() -> None:
    found = spec("transformer-big")
    target = found.graph["tgt"].component
    assert isinstance(target, Embed)
    assert (target.share, target.vocab, target.dim, target.scale) == ("src", 37000, 1024, 32)
    assert found.dropout.residual == 0.3


def test_patches_of_the_vision_transformer() -> None:
    part = spec("vit-b16-cls").graph["x"].component
    assert isinstance(part, Patches)
    assert (prod(part.grid), part.prefix) == (196, (("cls", 1),))


def test_minilm_renames_every_tensor_of_its_checkpoint() -> None:
    rules = spec("minilm-l6").weights
    assert rules is not None
    assert rules.rules["encoder.layer.{i}.attention.self.query.*"] == "h.{i}.attn.q.*"
    assert len(rules.rules) == 14
