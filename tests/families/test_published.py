"""Published configs, as their repositories hold them, against published counts of parameters."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import archspec
from compiler.importers.imported import Imported, import_config
from compiler.verify.compiled import Compiled, compiled
from tests.conftest import Golden

CONFIGS = Path(__file__).parent / "published"
SPECS = Path(__file__).parents[2] / "specs"

PARAMETERS = {
    "albert-base-v2": 11_221_680,
    "bart-base": 139_470_681,
    "beit-base-patch16-224": 86_530_984,
    "bert-base-uncased": 109_514_298,
    "bloom-560m": 559_214_592,
    "codegen-350m-mono": 356_712_448,
    "command-r-v01": 34_980_831_232,
    "deberta-v3-base": 183_831_552,
    "deepseek-v2-lite": 15_706_484_224,
    "deepseek-v3": 671_026_404_352,
    "dinov2-small": 22_056_576 - 384,
    "distilbert-base-uncased": 66_985_530,
    "ernie-4.5-0.3b": 360_748_032,
    "falcon-7b": 6_921_720_704,
    "gemma-2-2b": 2_614_341_888,
    "gemma-2b": 2_506_172_416,
    "gemma-3-1b": 999_885_952,
    "glm-4-9b": 9_399_951_360,
    "gpt-j-6b": 6_050_882_784,
    "gpt-neo-125m": 125_198_592,
    "gpt-oss-20b-bf16": 20_914_757_184,
    "gpt2": 124_439_808,
    "granite-3.1-2b": 2_533_531_648,
    "llama-3.2-1b": 1_235_814_400,
    "minitron-4b": 4_190_509_056,
    "mistral-7b-v0.1": 7_241_732_096,
    "mixtral-8x7b-v0.1": 46_702_792_704,
    "mpt-7b": 6_649_286_656,
    "olmo-1b": 1_176_764_416,
    "olmo-2-1124-7b": 7_298_617_344,
    "olmoe-1b-7b-0924": 6_919_161_856,
    "opt-125m": 125_239_296,
    "opt-350m": 331_196_416,
    "phi-2": 2_779_683_840,
    "pythia-70m": 70_426_624,
    "qwen1.5-moe-a2.7b": 14_315_784_192,
    "qwen2-0.5b": 494_032_768,
    "qwen3-0.6b": 596_049_920,
    "qwen3-30b-a3b": 30_532_122_624,
    "roberta-base": 124_697_433,
    "smollm2-135m": 134_515_008,
    "stablelm-2-1.6b": 1_644_515_328,
    "starcoder2-3b": 3_030_371_328,
    "starcoderbase-1b": 1_137_207_296,
    "t5-small": 60_506_624,
    "t5-v1.1-small": 76_961_152,
    "whisper-tiny": 37_760_640,
    "xlm-roberta-base": 278_295_186,
}
"""As papers and safetensors files count them, or transformers (see below); a tied head counts once.
"""

CLASSES = {"deberta-v3-base": "DebertaV2Model", "mpt-7b": "MptForCausalLM"}
"""Of configs that name none, or one of their own."""

ELSEWHERE = {
    "dinov2-small": -384,  # the token that hid patches in training
    "bart-base": 50_265,  # `final_logits_bias` is a buffer there, and one of the file's tensors
    "t5-v1.1-small": 32_128 * 512,  # transformers 5.24 ties the head whatever the config says
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_published_number_of_parameters(name: str, golden: Golden, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.json").write_text((CONFIGS / f"{name}.json").read_text())
    found = import_config(folder)
    assert isinstance(found, Imported), found
    golden(f"imported/{name}.yaml", found.text)
    made = compiled(archspec.load(found.spec))
    assert isinstance(made, Compiled), made
    assert made.parameters == PARAMETERS[name]


def test_every_config_is_counted() -> None:
    assert {path.stem for path in CONFIGS.glob("*.json")} == set(PARAMETERS)


@pytest.mark.parametrize("name", PARAMETERS)
def test_transformers_reads_the_same_config(name: str, tmp_path: Path) -> None:
    """Written anew by the installed transformers, in its own dialect, it is the same model."""
    import transformers

    said: dict[str, Any] = json.loads((CONFIGS / f"{name}.json").read_text())
    old = import_config(CONFIGS / f"{name}.json")
    config = transformers.AutoConfig.for_model(**said)
    config.save_pretrained(tmp_path)
    new = import_config(tmp_path)
    assert isinstance(old, Imported)
    assert isinstance(new, Imported), new
    assert {**old.spec, "name": ""} == {**new.spec, "name": ""}


@pytest.mark.parametrize("name", PARAMETERS)
def test_transformers_counts_as_many(name: str) -> None:
    """Its own model of each config, made without memory."""
    import transformers

    said: dict[str, Any] = json.loads((CONFIGS / f"{name}.json").read_text())
    kind = CLASSES.get(name) or said["architectures"][0]
    with torch.device("meta"):
        theirs = getattr(transformers, kind)(transformers.AutoConfig.for_model(**said))
    counted = sum(each.numel() for each in theirs.parameters())
    assert counted + ELSEWHERE.get(name, 0) == PARAMETERS[name]


def test_gpt2_is_the_spec_that_was_written_by_hand() -> None:
    """But for dropout, which Radford et al. trained with and the spec leaves out."""
    found = import_config(CONFIGS / "gpt2.json")
    assert isinstance(found, Imported)
    imported = archspec.load(found.spec, set=["defaults.dropout=none"])
    shipped = archspec.load(SPECS / "decoder" / "gpt2.yaml")
    assert (imported.graph, imported.weights) == (shipped.graph, shipped.weights)
