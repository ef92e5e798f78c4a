"""Folders that onnxruntime-genai generates from: the ids that transformers generates."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from compiler.backends.onnx.decoder import Decoder
from compiler.importers.imported import import_config
from compiler.ir.target import Precision, Target
from compiler.pipeline import build
from compiler.pipeline.genai import genai_config
from compiler.pipeline.manifest import read_manifest
from compiler.runtime.beside import CONFIG
from compiler.runtime.providers import usual_options
from compiler.verify.module import shake

PYTHON = Path(__file__).parents[2] / ".cache" / "genai" / "bin" / "python"
PROMPT, NEW, VOCABULARY = [5, 17, 60, 3], 16, 97
GENERATE = """
import json, sys
import onnxruntime_genai as genai
prompt, length, *folders = json.loads(sys.argv[1])
for folder in folders:
    model = genai.Model(folder)
    asked = genai.GeneratorParams(model)
    asked.set_search_options(max_length=length, do_sample=False)
    course = genai.Generator(model, asked)
    course.append_tokens([prompt])
    while not course.is_done():
        course.generate_next_token()
    print(json.dumps([int(each) for each in course.get_sequence(0)]))
"""
COMMON = {
    "vocab_size": VOCABULARY, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 96, "max_position_embeddings": 64,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
FAMILIES: dict[str, dict[str, Any]] = {
    "gpt2": {
        "vocab_size": VOCABULARY, "n_positions": 64, "n_embd": 64, "n_layer": 2, "n_head": 4,
        "bos_token_id": 1, "eos_token_id": 2,
    },
    "llama": COMMON,
    "mistral": {**COMMON, "sliding_window": 8},
    "qwen3": {**COMMON, "head_dim": 16},
    "gemma2": {**COMMON, "head_dim": 16, "sliding_window": 8, "query_pre_attn_scalar": 16},
    "phi3": COMMON,
    "mixtral": {**COMMON, "num_local_experts": 4, "num_experts_per_tok": 2},
}  # fmt: skip


def published(family: str, folder: Path) -> list[int]:
    """Save a tiny random model of a family; the ids that transformers continues with."""
    import transformers

    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(family, **FAMILIES[family])
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    shake(model)
    model.save_pretrained(folder)
    ids = model.generate(
        torch.tensor([PROMPT]), max_new_tokens=NEW, do_sample=False, eos_token_id=2, pad_token_id=0
    )
    found: list[int] = ids[0].tolist()
    return found


def built(checkpoint: Path, target: Target) -> Path:
    """The folder that a published model is built to."""
    found = import_config(checkpoint)
    assert not isinstance(found, tuple), found
    spec = checkpoint.with_suffix(".yaml")
    spec.write_text(found.text)
    out = checkpoint.parent / f"{checkpoint.name}-{target.provider}"
    build(str(spec), weights=str(checkpoint), out=str(out), target=target)
    (folder,) = out.glob("**/model.onnx")
    return folder.parent


@pytest.mark.skipif(not PYTHON.exists(), reason="`make genai` installs onnxruntime-genai")
def test_greedy_ids_are_those_of_transformers(tmp_path: Path) -> None:
    wanted = {family: published(family, tmp_path / family) for family in FAMILIES}
    folders = [str(built(tmp_path / family, Target("cpu"))) for family in FAMILIES]
    request = json.dumps([PROMPT, len(PROMPT) + NEW, *folders])
    done = subprocess.run([PYTHON, "-c", GENERATE, request], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = dict(zip(wanted, map(json.loads, done.stdout.splitlines()), strict=True))
    assert found == wanted
    assert len({tuple(ids) for ids in wanted.values()}) == len(FAMILIES)


def test_what_came_with_the_weights_is_in_the_folder(tmp_path: Path) -> None:
    checkpoint = tmp_path / "llama"
    published("llama", checkpoint)
    (checkpoint / "tokenizer.json").write_text('{"version": "1.0"}')
    (checkpoint / "generation_config.json").write_text('{"eos_token_id": [2, 7]}')
    folder = built(checkpoint, Target("cpu"))
    config = json.loads((folder / CONFIG).read_text())
    model = config["model"]
    assert [model[f"{word}_token_id"] for word in ("bos", "eos", "pad")] == [1, [2, 7], 0]
    assert (model["context_length"], model["vocab_size"]) == (64, VOCABULARY)
    assert config["search"] == {
        "do_sample": False,
        "max_length": 64,
        "past_present_share_buffer": True,
    }
    manifest = read_manifest(folder)
    assert manifest is not None
    assert {CONFIG, "tokenizer.json"} <= set(manifest.files)


def test_a_mask_of_booleans_is_not_for_it(tmp_path: Path) -> None:
    published("llama", tmp_path / "llama")
    folder = built(tmp_path / "llama", Target())
    assert not (folder / CONFIG).exists()


@pytest.mark.parametrize("precision", ["fp16", "bf16", "int4"])
def test_its_provider_is_told_what_ours_is_told(precision: Precision) -> None:
    """And captures by itself where a caller wants it: it makes the masks of its steps."""
    made = Decoder("ids", "mask", "logits", 90, 2, 2, 16, shares=True)
    config = genai_config(made, 64, Target("cuda", precision), {})
    (options,) = config["model"]["decoder"]["session_options"]["provider_options"]
    assert options == {"cuda": usual_options(precision)}
    assert ("enable_skip_layer_norm_strict_mode" in options["cuda"]) == (precision == "fp16")
    assert "enable_cuda_graph" not in options["cuda"]
