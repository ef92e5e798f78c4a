"""Released models as transformers makes them, without memory, to count their parameters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

CONFIGS = Path(__file__).parents[1] / "families" / "published"
LEFT_OUT = ("mask_token", "contact_head")
"""What stands for hidden patches in DINOv2's training, and the regression that reads ESM-2's maps
for contacts, are no parameters of a spec."""


@dataclass(frozen=True)
class Model:
    """A class of transformers and the sizes that its config is made with."""

    kind: str
    sizes: Mapping[str, Any] = field(default_factory=dict)

    def config(self) -> Any:
        """The config of its class with these sizes."""
        import transformers

        return getattr(transformers, self.kind).config_class(**self.sizes)

    def made(self) -> Any:
        """The model, without memory."""
        import transformers

        with torch.device("meta"):
            return getattr(transformers, self.kind)(self.config())

    def parameters(self) -> int:
        """How many numbers it learns; a tied head counts once."""
        named = self.made().named_parameters()
        return sum(p.numel() for name, p in named if not any(part in name for part in LEFT_OUT))


def published(name: str, kind: str) -> Model:
    """The model of a config.json as its publishers hold it."""
    return Model(kind, json.loads((CONFIGS / f"{name}.json").read_text()))


QWEN3 = {"vocab_size": 151936, "head_dim": 128}
MODELS = {
    "specs/decoder/mixtral-8x22b.yaml": Model(
        "MixtralForCausalLM",
        {
            "vocab_size": 32000,
            "hidden_size": 6144,
            "intermediate_size": 16384,
            "num_hidden_layers": 56,
            "num_attention_heads": 48,
            "num_key_value_heads": 8,
            "num_local_experts": 8,
        },
    ),
    "specs/decoder/deepseek-v2-lite.yaml": published("deepseek-v2-lite", "DeepseekV2ForCausalLM"),
    "specs/decoder/gpt-oss-20b.yaml": published("gpt-oss-20b-bf16", "GptOssForCausalLM"),
    "specs/decoder/gpt-oss-120b.yaml": Model(
        "GptOssForCausalLM",
        {
            "vocab_size": 201088,
            "hidden_size": 2880,
            "intermediate_size": 2880,
            "num_hidden_layers": 36,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
            "head_dim": 64,
            "num_local_experts": 128,
        },
    ),
    "specs/decoder/qwen1.5-moe-a2.7b.yaml": published("qwen1.5-moe-a2.7b", "Qwen2MoeForCausalLM"),
    "specs/decoder/qwen3-30b-a3b.yaml": published("qwen3-30b-a3b", "Qwen3MoeForCausalLM"),
    "specs/decoder/qwen3-235b-a22b.yaml": Model(
        "Qwen3MoeForCausalLM",
        {
            **QWEN3,
            "hidden_size": 4096,
            "moe_intermediate_size": 1536,
            "num_hidden_layers": 94,
            "num_attention_heads": 64,
            "num_key_value_heads": 4,
            "num_experts": 128,
            "num_experts_per_tok": 8,
        },
    ),
    "specs/decoder/qwen3-14b.yaml": Model(
        "Qwen3ForCausalLM",
        {
            **QWEN3,
            "hidden_size": 5120,
            "intermediate_size": 17408,
            "num_hidden_layers": 40,
            "num_attention_heads": 40,
            "num_key_value_heads": 8,
        },
    ),
    "specs/encoder/minilm-l6.yaml": Model(
        "BertModel",
        {
            "vocab_size": 30522,
            "hidden_size": 384,
            "intermediate_size": 1536,
            "num_hidden_layers": 6,
            "num_attention_heads": 12,
        },
    ),
    "specs/encoder/deberta-v3-base.yaml": published("deberta-v3-base", "DebertaV2Model"),
    "specs/encoder-decoder/whisper-tiny.yaml": published(
        "whisper-tiny", "WhisperForConditionalGeneration"
    ),
    "specs/encoder-decoder/whisper-tiny.en.yaml": Model(
        "WhisperForConditionalGeneration", {"vocab_size": 51864}
    ),
    "specs/multimodal/clip-b32.yaml": Model("CLIPModel"),
    "specs/vision/beit-b16.yaml": published("beit-base-patch16-224", "BeitForImageClassification"),
    "specs/vision/dinov2-base.yaml": Model("Dinov2Model", {"image_size": 518, "patch_size": 14}),
    "specs/vision/dinov2-small.yaml": published("dinov2-small", "Dinov2Model"),
}
"""CLIP's and DINOv2's class defaults are the sizes of their base models, and Whisper's of tiny."""
