"""Places: what a generated line came from is on the line of the spec that it says."""

import re
from pathlib import Path

import pytest

import archspec
from compiler.backends.torch import Generated
from compiler.pipeline.passes import lowered
from tests.backends.torch.live import Live

SPEC = """\
name: placed
inputs: {ids: tokens}
defaults: {norm: {rms: 1e-6}, norm_at: pre}
graph:
  tok:
    embed: {vocab: 30, dim: 8, positions: {learned: 12}}
    in: ids
  h:
    stack:
      repeat: 3
      layer:
        attn: {attention: {heads: 2, mask: causal}}
        both:
          parallel:
            left: {mlp: {hidden: 9, act: relu}}
            right: {attention: {heads: 4, mask: causal}}
  final:
    norm: {layer: 1e-5}
  logits: {unembed: {tie: tok}}
"""
LINES = SPEC.splitlines()


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    path: Path = tmp_path_factory.mktemp("specs") / "placed.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return Live(lowered(archspec.load(path))).generated


def spec_line(generated: Generated, pattern: str) -> str:
    """The line of the spec behind the only generated line that fits a pattern."""
    text = generated.text.split("\n")
    (number,) = [n for n, line in enumerate(text, 1) if re.search(pattern, line)]
    return LINES[generated.places[number].line - 1].strip()


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"^class \w*Embed\(", "tok:"),
        (r"^class \w*AttnAttention\(", "attn: {attention: {heads: 2, mask: causal}}"),
        (r"^class LeftMlp\(|^class Mlp\(", "left: {mlp: {hidden: 9, act: relu}}"),
        (r"^class \w*RightAttention\(", "right: {attention: {heads: 4, mask: causal}}"),
        (r"^class Both\(", "both:"),
        (r"self\.final = ", "final:"),
        (r"self\.h = ", "stack:"),
        (r"self\.up\(", "left: {mlp: {hidden: 9, act: relu}}"),
        (r"for .* in .*self\.h", "stack:"),
        (r"^class Placed\(", "name: placed"),
        (r"tok\.tokens\.weight", "logits: {unembed: {tie: tok}}"),
    ],
)
def test_a_generated_line_comes_from_what_it_says(
    generated: Generated, pattern: str, said: str
) -> None:
    assert spec_line(generated, pattern) == said


def test_the_mark_on_a_class_names_the_same_line(generated: Generated) -> None:
    marks = re.findall(r"^class (\w+)\(nn\.Module\):  # spec:(\d+) ([\w.]+)$", generated.text, re.M)
    assert len(marks) == generated.text.count("(nn.Module):")
    for name, line, path in marks:
        word = {"Block": "layer", "Placed": "name"}.get(name, path.rpartition(".")[2])
        assert LINES[int(line) - 1].strip().startswith(f"{word}:")
    assert ("Both", "13", "h.both") in marks


def test_every_line_with_a_place_is_inside_a_class(generated: Generated) -> None:
    text = generated.text.split("\n")
    first = next(n for n, line in enumerate(text, 1) if "(nn.Module)" in line)
    assert min(generated.places) >= first
    assert all(text[number - 1].strip() for number in generated.places)


def test_a_wrapped_line_has_one_place_all_through(generated: Generated) -> None:
    text = generated.text.split("\n")
    opened = [n for n, line in enumerate(text, 1) if line.endswith("(") and n in generated.places]
    assert opened
    for number in opened:
        indent = len(text[number - 1]) - len(text[number - 1].lstrip())
        end = next(
            n
            for n in range(number + 1, len(text) + 1)
            if text[n - 1].startswith(" " * indent + ")")
        )
        assert {generated.places[n] for n in range(number, end + 1)} == {generated.places[number]}
