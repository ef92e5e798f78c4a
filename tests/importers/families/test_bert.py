from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from compiler.importers.families.bert import bert
from compiler.importers.names import Names
from tests.importers.published import family_rules, goes_back, read_back

NAMES = Names(
    embed="tok",
    table="tok.tokens.weight",
    positions="tok.positions.weight",
    stack="h",
    attention="attn",
    mlp="mlp",
    pooler="pooler",
)
D, M, V, R = 8, 32, 11, 6


def pair(name: str, *shape: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


LAYER = {
    **{key: shape for part in "qkvo" for key, shape in pair(f"attn.{part}", D, D).items()},
    **pair("attn.post_norm", D),
    **pair("mlp.up", M, D),
    **pair("mlp.down", D, M),
    **pair("mlp.post_norm", D),
}
SHAPES: dict[str, tuple[int, ...]] = {
    "tok.tokens.weight": (V, D),
    "tok.positions.weight": (R, D),
    "tok.types.weight": (2, D),
    **pair("tok.norm", D),
    **{f"h.{n}.{name}": shape for n in range(2) for name, shape in LAYER.items()},
    **pair("pooler", D, D),
}
THEIRS = {
    "attn.q": "attention.self.query",
    "attn.k": "attention.self.key",
    "attn.v": "attention.self.value",
    "attn.o": "attention.output.dense",
    "attn.post_norm": "attention.output.LayerNorm",
    "mlp.up": "intermediate.dense",
    "mlp.down": "output.dense",
    "mlp.post_norm": "output.LayerNorm",
}


def model(kind: str) -> Any:
    import transformers

    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=M,
        max_position_embeddings=R,
    )
    made = getattr(transformers, kind)(config)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made


@pytest.mark.parametrize("kind", ["BertModel", "BertForPreTraining"])
def test_every_parameter_is_the_published_one(tmp_path: Path, kind: str) -> None:
    theirs = model(kind)
    theirs.save_pretrained(tmp_path)
    ours = read_back(tmp_path, family_rules(bert, NAMES), SHAPES)
    state = getattr(theirs, "bert", theirs).state_dict()
    for n in range(2):
        for name, published in THEIRS.items():
            for which in ("weight", "bias"):
                wanted = state[f"encoder.layer.{n}.{published}.{which}"].numpy()
                np.testing.assert_array_equal(ours[f"h.{n}.{name}.{which}"], wanted)
    wanted = state["embeddings.token_type_embeddings.weight"].numpy()
    np.testing.assert_array_equal(ours["tok.types.weight"], wanted)


def test_the_file_goes_there_and_back(tmp_path: Path) -> None:
    model("BertModel").save_pretrained(tmp_path)
    goes_back(tmp_path, family_rules(bert, NAMES), SHAPES, set())


def test_old_files_say_gamma_and_beta(tmp_path: Path) -> None:
    state = {
        f"bert.{key}".replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for key, tensor in model("BertModel").state_dict().items()
    }
    state["bert.embeddings.position_ids"] = torch.arange(R)
    torch.save(state, tmp_path / "pytorch_model.bin")
    ours = read_back(tmp_path, family_rules(bert, NAMES), SHAPES)
    wanted = state["bert.encoder.layer.1.output.LayerNorm.beta"].numpy()
    np.testing.assert_array_equal(ours["h.1.mlp.post_norm.bias"], wanted)


def test_without_a_pooler_its_tensors_are_dropped(tmp_path: Path) -> None:
    model("BertModel").save_pretrained(tmp_path)
    shapes = {name: shape for name, shape in SHAPES.items() if not name.startswith("pooler")}
    rules = family_rules(bert, replace(NAMES, pooler=""))
    assert list(read_back(tmp_path, rules, shapes)) == list(shapes)
