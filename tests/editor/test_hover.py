"""Resting on a key shows what it means and what it is when it is left out."""

import pytest

from tests.editor.editor import Editor

START = """\
name: shown
inputs: {ids: tokens}
graph:
  tok: {embed: {vocab: 100, dim: 64}, in: ids}
"""

SHOWN = {
    "  y: {attention: {heads: 4, kv_h|eads: 2}}": ("key and value heads", "default: `heads`"),
    "  y: {attention: {heads: 4, kv_h|eads: h/2}}": ("key and value heads", "default: `heads`"),
    "  y: {attention: {heads: 4, kv_h|eads: none}}": ("key and value heads", "default: `heads`"),
    "  y: {attention: {heads: 4, bi|as: qkv}}": ("which projections have a bias",),
    "  y: {attention: {heads: 4, ma|sk: causal}}": ("who sees whom", "default: `full`", "* `full`"),
    "  y: {atten|tion: {heads: 4}}": ("Vaswani",),
    "  y: {mlp: {hidden: 64, ga|ted: true}}": ("second projection", "default: `false`"),
    "  y: {mlp: {hidden: 64, a|ct: silu}}": ("activation", "* `silu`", "* `gelu_tanh`"),
    "  y: {stack: {rep|eat: 2, layer: {a: {mlp: {hidden: 4}}}}}": ("how many layers",),
    "  y: {stack: {repeat: 2, sha|re: true}}": ("one set of weights", "default: `false`"),
    "  y: {po|ol: mean}": ("[B, T, D] to [B, D]", "* `last`"),
    "defaults: {no|rm: none}": ("the norm of each sub-layer",),
    "defaults: {drop|out: 0.1}": ("residual and embed", "default: `0`"),
    "defaults: {in|it: xavier}": ("how parameters are drawn", "default: `torch`"),
}


@pytest.mark.parametrize("line", SHOWN)
def test_a_key_is_described(line: str, editor: Editor) -> None:
    found = editor.hovered(f"{START}{line}\n")
    assert [said for said in SHOWN[line] if said not in found] == []
    assert " || " not in found, "the server could not tell the forms of the value apart"


def test_a_padded_input_is_described(editor: Editor) -> None:
    found = editor.hovered("inputs: {ids: {tokens: {max: 3, pad|ded: true}}}\n")
    assert "`<name>_mask`" in found
    assert "default: `false`" in found
