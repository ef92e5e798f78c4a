"""What we export, transformers loads: the same logits, and no name missing or left over."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from compiler.pipeline import build, export
from compiler.verify.module import shake

SPECS = Path(__file__).parents[2] / "specs"
V, R, L, H, G, D, M, X, Q, E = 97, 40, 2, 4, 2, 32, 56, 24, 6, 3


def ids(length: int) -> dict[str, torch.Tensor]:
    return {"input_ids": torch.arange(2 * length).reshape(2, length) * 7 % V}


def pixels() -> dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(2, 3, X, X, generator=torch.Generator().manual_seed(0))}


@dataclass(frozen=True)
class Case:
    """A model of transformers and the spec that reads and writes its files."""

    model: str
    config: dict[str, Any]
    spec: str
    sizes: dict[str, Any]
    family: str
    given: Callable[[], dict[str, torch.Tensor]] = lambda: ids(9)


LLAMA = {
    "vocab_size": V,
    "hidden_size": D,
    "intermediate_size": M,
    "num_hidden_layers": L,
    "num_attention_heads": H,
    "num_key_value_heads": G,
    "rms_norm_eps": 1e-5,
}
BERT = {
    "vocab_size": V,
    "hidden_size": D,
    "intermediate_size": M,
    "num_hidden_layers": L,
    "num_attention_heads": H,
}
SMALL = {"d_model": D, "n_layers": L, "n_heads": H, "d_ff": M}
CASES = {
    "gpt2": Case(
        "GPT2LMHeadModel",
        {"vocab_size": V, "n_positions": R, "n_embd": D, "n_layer": L, "n_head": H},
        "decoder/gpt2.yaml",
        {"d_model": D, "n_layers": L, "n_heads": H, "vocab": V, "max_len": R},
        "gpt2",
    ),
    "llama": Case(
        "LlamaForCausalLM",
        LLAMA,
        "decoder/llama3-8b.yaml",
        {**SMALL, "n_kv_heads": G, "vocab": V},
        "llama",
    ),
    "mixtral": Case(
        "MixtralForCausalLM",
        {**LLAMA, "num_local_experts": E, "num_experts_per_tok": 2},
        "decoder/mixtral-8x7b.yaml",
        {**SMALL, "n_kv_heads": G, "vocab": V, "n_experts": E},
        "mixtral",
    ),
    "bert": Case(
        "BertModel",
        {**BERT, "max_position_embeddings": R},
        "encoder/bert-base.yaml",
        {**SMALL, "vocab": V, "max_len": R},
        "bert",
    ),
    "vit": Case(
        "ViTForImageClassification",
        {**BERT, "image_size": X, "patch_size": Q, "num_labels": 11},
        "vision/vit-b16-cls.yaml",
        {**SMALL, "image": X, "patch": Q, "classes": 11},
        "vit",
        pixels,
    ),
}
del CASES["vit"].config["vocab_size"]


@pytest.mark.parametrize("name", CASES)
def test_transformers_loads_what_we_export(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Published → built → exported from the build → loaded again."""
    import transformers

    monkeypatch.chdir(tmp_path)
    case = CASES[name]
    kind = getattr(transformers, case.model)
    theirs: nn.Module = kind(kind.config_class(**case.config)).eval()
    shake(theirs)
    theirs.save_pretrained("published")  # type: ignore[operator]  # a transformers model
    spec, patches = _spec(case)
    build(spec, set=patches, weights="published", out="built", emit=("torch", "onnx"))
    stem = Path(spec).stem
    _configured(theirs, Path("back"))
    done = export(spec, "back", set=patches, weights=f"built/{stem}", shard_bytes=20_000)
    assert len(done.files) > 2
    again, said = kind.from_pretrained("back", output_loading_info=True)
    assert {key: found for key, found in said.items() if found and key != "error_msgs"} == {}
    _same_weights(theirs, again)
    with torch.no_grad():
        wanted, found = (model(**case.given())[0] for model in (theirs, again.eval()))
    assert torch.equal(wanted, found)


@pytest.mark.parametrize("name", CASES)
def test_a_published_file_is_exported_as_it_was(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File → our parameters → file: the same names, each tensor the same bytes."""
    import transformers

    monkeypatch.chdir(tmp_path)
    case = CASES[name]
    kind = getattr(transformers, case.model)
    theirs: nn.Module = kind(kind.config_class(**case.config)).to(torch.bfloat16)
    theirs.save_pretrained("published")  # type: ignore[operator]  # a transformers model
    spec, patches = _spec(case)
    export(spec, "back", set=patches, weights="published")
    before, after = (load_file(f"{place}/model.safetensors") for place in ("published", "back"))
    assert set(after) == set(before)
    for key, tensor in before.items():
        assert torch.equal(after[key].view(torch.uint8), tensor.view(torch.uint8)), key


def _spec(case: Case) -> tuple[str, list[str]]:
    """A spec of the repository, in a folder of its own, and the patches that make it small."""
    place = Path("small") / Path(case.spec).name
    place.parent.mkdir(exist_ok=True)
    text = (SPECS / case.spec).read_text()
    family = "" if f"\nweights: {case.family}\n" in text else f"weights: {case.family}\n"
    place.write_text(text + family)
    return str(place), [f"{key}={size}" for key, size in case.sizes.items()]


def _configured(theirs: nn.Module, folder: Path) -> None:
    """Put the model's configuration where its weights will be, as transformers wants it."""
    for part in (theirs.config, getattr(theirs, "generation_config", None)):
        if part is not None:
            part.save_pretrained(folder)  # type: ignore[union-attr,operator]  # configurations


def _same_weights(theirs: nn.Module, again: nn.Module) -> None:
    before, after = theirs.state_dict(), again.state_dict()
    assert list(before) == list(after)
    assert [key for key in before if not torch.equal(before[key], after[key])] == []
