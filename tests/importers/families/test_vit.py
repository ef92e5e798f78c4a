from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from compiler.importers.families.vit import vit
from compiler.importers.names import Names
from tests.importers.published import family_rules, goes_back, read_back

NAMES = Names(
    patches="x",
    stack="h",
    attention="attn",
    mlp="mlp",
    final="final",
    pooler="logits",
    classifier="logits",
)
D, M, C, P = 8, 32, 3, 4


def pair(name: str, *shape: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


LAYER = {
    **{key: shape for part in "qkvo" for key, shape in pair(f"attn.{part}", D, D).items()},
    **pair("attn.norm", D),
    **pair("mlp.norm", D),
    **pair("mlp.up", M, D),
    **pair("mlp.down", D, M),
}
BODY: dict[str, tuple[int, ...]] = {
    "x.cls.weight": (1, D),
    "x.positions.weight": (5, D),
    **pair("x.project", D, C, P, P),
    **{f"h.{n}.{name}": shape for n in range(2) for name, shape in LAYER.items()},
    **pair("final", D),
}


def model(kind: str) -> Any:
    import transformers

    config = transformers.ViTConfig(
        hidden_size=D,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=M,
        image_size=2 * P,
        patch_size=P,
        num_labels=7,
    )
    made = getattr(transformers, kind)(config)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made


def test_every_parameter_is_the_one_on_disk(tmp_path: Path) -> None:
    model("ViTForImageClassification").save_pretrained(tmp_path)
    ours = read_back(tmp_path, family_rules(vit, NAMES), {**BODY, **pair("logits", 7, D)})
    file = load_file(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(ours["x.cls.weight"], file["vit.embeddings.cls_token"][0])
    np.testing.assert_array_equal(
        ours["x.positions.weight"], file["vit.embeddings.position_embeddings"][0]
    )
    wanted = file["vit.encoder.layer.1.attention.attention.key.weight"]
    np.testing.assert_array_equal(ours["h.1.attn.k.weight"], wanted)
    np.testing.assert_array_equal(ours["logits.bias"], file["classifier.bias"])


@pytest.mark.parametrize(
    ("kind", "shapes", "lost"),
    [
        ("ViTForImageClassification", {**BODY, **pair("logits", 7, D)}, set()),
        ("ViTModel", BODY, {"pooler.dense.weight", "pooler.dense.bias"}),
    ],
)
def test_the_file_goes_there_and_back(
    tmp_path: Path, kind: str, shapes: dict[str, tuple[int, ...]], lost: set[str]
) -> None:
    model(kind).save_pretrained(tmp_path)
    goes_back(tmp_path, family_rules(vit, NAMES), shapes, lost)
