"""Models of transformers with the files that the specs of `specs/` are built with."""

from typing import Any

from tests.generated.counted import MODELS, Model, published
from tests.generated.counted_decoders import DECODERS
from tests.generated.counted_sizes import SIZES, sizes

UNPUBLISHED = ("gpt3", "transformer", "vit-b16-mean")
"""Beginnings of the names of specs of which there is no file: GPT-3 and the first Transformer were
not released so, and every ViT of transformers has a class token."""

MODEL_TYPES = {
    "albert": "albert",
    "bart": "bart",
    "beit": "beit",
    "bert": "bert",
    "bloom": "bloom",
    "camembert": "camembert",
    "clip": "clip",
    "codegen": "codegen",
    "codellama": "llama",
    "command-r": "cohere",
    "deberta-v3": "deberta-v2",
    "deepseek-v2": "deepseek_v2",
    "deepseek-v3": "deepseek_v3",
    "deit": "vit",
    "dinov2": "dinov2",
    "distilbert": "distilbert",
    "ernie4.5": "ernie4_5",
    "distilroberta": "roberta",
    "esm2": "esm",
    "falcon": "falcon",
    "gemma": "gemma",
    "gemma2": "gemma2",
    "gemma3": "gemma3_text",
    "glm4-9b": "glm",
    "glm4-9b-0414": "glm4",
    "gpt-j": "gptj",
    "gpt-neo": "gpt_neo",
    "gpt-neox": "gpt_neox",
    "gpt-oss": "gpt_oss",
    "gpt2": "gpt2",
    "granite3": "granite",
    "helium": "helium",
    "llama": "llama",
    "mbart": "mbart",
    "minilm": "bert",
    "minitron": "nemotron",
    "mistral": "mistral",
    "mixtral": "mixtral",
    "modernbert": "modernbert",
    "mpt": "mpt",
    "mt5": "mt5",
    "nemotron4": "nemotron",
    "nomic-embed": "nomic_bert",
    "olmo": "olmo",
    "olmo2": "olmo2",
    "olmoe": "olmoe",
    "opt": "opt",
    "phi": "phi",
    "phi3": "phi3",
    "phi4": "phi3",
    "pythia": "gpt_neox",
    "qwen1.5-moe": "qwen2_moe",
    "qwen2.5": "qwen2",
    "qwen3": "qwen3",
    "qwen3-235b-a22b": "qwen3_moe",
    "qwen3-30b-a3b": "qwen3_moe",
    "roberta": "roberta",
    "santacoder": "gpt_bigcode",
    "siglip": "siglip",
    "smollm2": "llama",
    "smollm3": "smollm3",
    "stablelm": "stablelm",
    "starcoder": "gpt_bigcode",
    "starcoder2": "starcoder2",
    "t5": "t5",
    "tinyllama": "llama",
    "vit": "vit",
    "whisper": "whisper",
    "xlm-roberta": "xlm-roberta",
    "yi": "llama",
}
"""What the config.json of released models calls them, by how the names of their specs begin. DeiT
without its second token was released as a ViT."""


def decoder(kind: str, *numbers: int, kv: int, **more: Any) -> Model:
    return Model(f"{kind}ForCausalLM", sizes(*numbers, num_key_value_heads=kv, **more))


LLAMA3 = decoder("Llama", 4096, 32, 32, 14336, kv=8, vocab_size=128256)
DEEPSEEK_V2 = {
    **published("deepseek-v2-lite", "").sizes,
    **sizes(5120, 60, 128, 12288, num_key_value_heads=128),
    "q_lora_rank": 1536,
    "n_routed_experts": 160,
    "moe_intermediate_size": 1536,
}

NAMED = {
    "specs/decoder/bloom-560m.yaml": published("bloom-560m", "BloomForCausalLM"),
    "specs/decoder/command-r-35b.yaml": published("command-r-v01", "CohereForCausalLM"),
    "specs/decoder/deepseek-v2.yaml": Model("DeepseekV2ForCausalLM", DEEPSEEK_V2),
    "specs/decoder/deepseek-v3.yaml": published("deepseek-v3", "DeepseekV3ForCausalLM"),
    "specs/decoder/falcon-7b.yaml": published("falcon-7b", "FalconForCausalLM"),
    "specs/decoder/gemma-2b.yaml": published("gemma-2b", "GemmaForCausalLM"),
    "specs/decoder/gemma-7b.yaml": decoder("Gemma", 3072, 28, 16, 24576, kv=16),
    "specs/decoder/gemma2-2b.yaml": published("gemma-2-2b", "Gemma2ForCausalLM"),
    "specs/decoder/gemma2-27b.yaml": decoder("Gemma2", 4608, 46, 32, 36864, kv=16, head_dim=128),
    "specs/decoder/gemma3-1b.yaml": published("gemma-3-1b", "Gemma3ForCausalLM"),
    "specs/decoder/gpt-j-6b.yaml": published("gpt-j-6b", "GPTJForCausalLM"),
    "specs/decoder/gpt-neox-20b.yaml": Model("GPTNeoXForCausalLM"),
    "specs/decoder/gpt2.yaml": published("gpt2", "GPT2LMHeadModel"),
    "specs/decoder/llama2-7b.yaml": Model("LlamaForCausalLM"),
    "specs/decoder/llama3-8b.yaml": LLAMA3,
    "specs/decoder/llama3.1-8b.yaml": LLAMA3,
    "specs/decoder/llama3.2-1b.yaml": published("llama-3.2-1b", "LlamaForCausalLM"),
    "specs/decoder/mistral-7b.yaml": published("mistral-7b-v0.1", "MistralForCausalLM"),
    "specs/decoder/mixtral-8x7b.yaml": published("mixtral-8x7b-v0.1", "MixtralForCausalLM"),
    "specs/decoder/mpt-7b.yaml": published("mpt-7b", "MptForCausalLM"),
    "specs/decoder/olmo2-7b.yaml": published("olmo-2-1124-7b", "Olmo2ForCausalLM"),
    "specs/decoder/olmo2-32b.yaml": decoder("Olmo2", 5120, 64, 40, 27648, kv=8, vocab_size=100352),
    "specs/decoder/opt-125m.yaml": published("opt-125m", "OPTForCausalLM"),
    "specs/decoder/phi-2.yaml": published("phi-2", "PhiForCausalLM"),
    "specs/decoder/phi3-mini.yaml": Model("Phi3ForCausalLM"),
    "specs/decoder/phi4.yaml": decoder("Phi3", 5120, 40, 40, 17920, kv=10, vocab_size=100352),
    "specs/decoder/qwen2.5-0.5b.yaml": published("qwen2-0.5b", "Qwen2ForCausalLM"),
    "specs/decoder/qwen2.5-7b.yaml": decoder("Qwen2", 3584, 28, 28, 18944, kv=4, vocab_size=152064),
    "specs/decoder/qwen3-0.6b.yaml": published("qwen3-0.6b", "Qwen3ForCausalLM"),
    "specs/decoder/qwen3-8b.yaml": decoder(
        "Qwen3", 4096, 36, 32, 12288, kv=8, vocab_size=151936, head_dim=128
    ),
    "specs/decoder/smollm2-135m.yaml": published("smollm2-135m", "LlamaForCausalLM"),
    "specs/decoder/smollm2-1.7b.yaml": decoder(
        "Llama", 2048, 24, 32, 8192, kv=32, vocab_size=49152, tie_word_embeddings=True
    ),
    "specs/decoder/starcoder2-3b.yaml": published("starcoder2-3b", "Starcoder2ForCausalLM"),
    "specs/decoder/starcoder2-15b.yaml": decoder(
        "Starcoder2", 6144, 40, 48, 24576, kv=4, vocab_size=49152, tie_word_embeddings=False
    ),
    "specs/decoder/gpt-neo-125m.yaml": published("gpt-neo-125m", "GPTNeoForCausalLM"),
    "specs/decoder/olmo-1b.yaml": published("olmo-1b", "OlmoForCausalLM"),
    "specs/decoder/olmo-7b.yaml": decoder(
        "Olmo", 4096, 32, 32, 11008, kv=32, vocab_size=50304, tie_word_embeddings=False
    ),
    "specs/decoder/opt-350m.yaml": published("opt-350m", "OPTForCausalLM"),
    "specs/decoder/smollm3-3b.yaml": decoder(
        "SmolLM3", 2048, 36, 16, 11008, kv=4, vocab_size=128256, tie_word_embeddings=True
    ),
    "specs/decoder/stablelm-3b-4e1t.yaml": decoder(
        "StableLm", 2560, 32, 32, 6912, kv=32, vocab_size=50304
    ),
    "specs/encoder-decoder/bart-base.yaml": published("bart-base", "BartForConditionalGeneration"),
    "specs/encoder-decoder/mbart-large-50.yaml": Model(
        "MBartForConditionalGeneration", {"vocab_size": 250054}
    ),
    "specs/encoder-decoder/t5-small.yaml": published("t5-small", "T5ForConditionalGeneration"),
    "specs/encoder-decoder/t5-v1.1-small.yaml": published(
        "t5-v1.1-small", "T5ForConditionalGeneration"
    ),
    "specs/encoder/bert-base.yaml": Model("BertModel"),
    "specs/encoder/bert-base-mlm.yaml": Model("BertForMaskedLM"),
    "specs/encoder/bert-base-pretraining.yaml": Model("BertForPreTraining"),
    "specs/encoder/distilbert-base.yaml": published("distilbert-base-uncased", "DistilBertModel"),
    "specs/encoder/modernbert-base.yaml": Model("ModernBertForMaskedLM"),
    "specs/encoder/roberta-base.yaml": published("roberta-base", "RobertaModel"),
    "specs/vision/vit-b16-cls.yaml": Model("ViTForImageClassification", {"num_labels": 1000}),
    "specs/multimodal/siglip-b16.yaml": Model("SiglipModel"),
    **MODELS,
    **SIZES,
    **DECODERS,
}
"""Their configs as published, or the sizes in them; class defaults are those of BERT, GPT-NeoX,
Llama 2, mBART, ModernBERT, Phi-3 and SigLIP."""
