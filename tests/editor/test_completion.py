"""Completion offers the keys and words that may stand at the cursor, each with its description."""

from tests.editor.editor import Editor

START = """\
name: completed
inputs: {ids: tokens}
graph:
  tok: {embed: {vocab: 100, dim: 64}, in: ids}
"""
ATTENTION = f"""{START}\
  h:
    stack:
      repeat: 2
      layer:
        attn:
          attention:
            heads: 4
            |
        mlp: {{mlp: {{hidden: 64, act: gelu}}}}
"""
SUBLAYER = f"""{START}\
  h:
    stack:
      repeat: 2
      layer:
        attn:
          |
"""


def test_inside_attention_its_keys_are_offered(editor: Editor) -> None:
    found = editor.offered(ATTENTION)
    assert {"kv_heads", "head_dim", "mask", "rope", "bias", "source"} <= set(found)
    assert found["kv_heads"] == "key and value heads (default: `heads`)"
    assert "heads" not in found, "it is there already"
    assert set(found) & {"hidden", "repeat", "vocab", "act"} == set()


def test_a_sub_layer_offers_its_mixers_and_settings(editor: Editor) -> None:
    found = editor.offered(SUBLAYER)
    assert {"attention", "mlp", "parallel", "norm", "norm_at", "branch_scale"} <= set(found)
    assert set(found) & {"embed", "unembed", "pool", "stack", "heads"} == set()


def test_a_node_offers_every_component(editor: Editor) -> None:
    found = editor.offered(f"{START}  y:\n    |\n")
    assert {"stack", "attention", "mlp", "norm", "pool", "linear", "unembed", "in"} <= set(found)
    assert set(found) & {"heads", "repeat", "norm_at"} == set()


def test_the_top_level_offers_what_is_missing(editor: Editor) -> None:
    found = editor.offered(f"{START}|\n")
    assert {"about", "extends", "defaults", "blocks", "outputs", "weights"} <= set(found)
    assert set(found) & {"name", "inputs", "graph"} == set()


def test_words_are_offered_for_values(editor: Editor) -> None:
    acts = editor.offered(f"{START}  y: {{mlp: {{hidden: 64, act: |}}}}\n")
    assert {"gelu", "gelu_tanh", "silu", "relu2"} <= set(acts)
    masks = editor.offered(f"{START}  y: {{attention: {{heads: 4, mask: |}}}}\n")
    assert {"full", "causal"} <= set(masks)
    pools = editor.offered(f"{START}  y: {{pool: |}}\n")
    assert {"first", "last", "mean"} <= set(pools)
    places = editor.offered(f"{START}defaults: {{norm_at: |}}\n")
    assert {"pre", "out", "post", "none"} <= set(places)
    inputs = editor.offered("inputs: {ids: |}\n")
    assert "tokens" in inputs


def test_forms_of_a_norm_and_of_an_input_are_offered(editor: Editor) -> None:
    assert {"layer", "rms", "l2"} <= set(editor.offered(f"{START}  y:\n    norm:\n      |\n"))
    kinds = {"tokens", "image", "frames", "vectors", "features", "mask"}
    assert kinds <= set(editor.offered("inputs:\n  x:\n    |\n"))


def test_a_key_that_was_begun_is_offered(editor: Editor) -> None:
    found = editor.offered(ATTENTION.replace("|", "kv|"))
    assert "kv_heads" in found
