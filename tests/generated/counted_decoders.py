"""Decoders whose counts are published rounded, as transformers makes them."""

from typing import Any

from tests.generated.counted import Model, published
from tests.generated.counted_sizes import sizes


def codegen(width: int, layers: int, heads: int) -> Model:
    said = {"n_embd": width, "n_layer": layers, "n_head": heads, "rotary_dim": 64}
    return Model("CodeGenForCausalLM", {"vocab_size": 51200, **said})


def bigcode(width: int, layers: int, heads: int, **more: Any) -> Model:
    said = {"n_embd": width, "n_layer": layers, "n_head": heads, "n_inner": 4 * width}
    said |= {"vocab_size": 49152, "n_positions": 8192, **more}
    return Model("GPTBigCodeForCausalLM", said)


def granite(*numbers: int) -> Model:
    more = {"vocab_size": 49155, "num_key_value_heads": 8, "tie_word_embeddings": True}
    return Model("GraniteForCausalLM", sizes(*numbers, **more))


def nemotron(*numbers: int, head: int = 128) -> Model:
    more = {"vocab_size": 256000, "num_key_value_heads": 8, "head_dim": head}
    return Model("NemotronForCausalLM", sizes(*numbers, **more))


GLM4 = sizes(
    4096,
    40,
    32,
    13696,
    vocab_size=151552,
    num_key_value_heads=2,
    head_dim=128,
    attention_bias=True,
    tie_word_embeddings=False,
)
DECODERS = {
    "specs/decoder/codegen-350m.yaml": published("codegen-350m-mono", "CodeGenForCausalLM"),
    "specs/decoder/codegen-2b.yaml": codegen(2560, 32, 32),
    "specs/decoder/codegen-6b.yaml": codegen(4096, 33, 16),
    "specs/decoder/codegen-16b.yaml": codegen(6144, 34, 24),
    "specs/decoder/santacoder-1.1b.yaml": bigcode(2048, 24, 16, vocab_size=49280, n_positions=2048),
    "specs/decoder/starcoderbase-1b.yaml": published("starcoderbase-1b", "GPTBigCodeForCausalLM"),
    "specs/decoder/starcoderbase-3b.yaml": bigcode(2816, 36, 22),
    "specs/decoder/starcoderbase-7b.yaml": bigcode(4096, 42, 32),
    "specs/decoder/starcoder-15b.yaml": bigcode(6144, 40, 48),
    "specs/decoder/stablelm-2-1.6b.yaml": published("stablelm-2-1.6b", "StableLmForCausalLM"),
    "specs/decoder/olmoe-1b-7b.yaml": published("olmoe-1b-7b-0924", "OlmoeForCausalLM"),
    "specs/decoder/granite3-2b.yaml": granite(2048, 40, 32, 8192),
    "specs/decoder/granite3-8b.yaml": granite(4096, 40, 32, 12800),
    "specs/decoder/granite3.1-2b.yaml": published("granite-3.1-2b", "GraniteForCausalLM"),
    "specs/decoder/granite3.1-8b.yaml": granite(4096, 40, 32, 12800),
    "specs/decoder/glm4-9b.yaml": published("glm-4-9b", "GlmForCausalLM"),
    "specs/decoder/glm4-9b-0414.yaml": Model("Glm4ForCausalLM", GLM4),
    "specs/decoder/minitron-4b.yaml": published("minitron-4b", "NemotronForCausalLM"),
    "specs/decoder/minitron-8b.yaml": nemotron(4096, 32, 48, 16384),
    "specs/decoder/nemotron4-15b.yaml": nemotron(6144, 32, 48, 24576),
    "specs/decoder/nemotron4-340b.yaml": nemotron(18432, 96, 96, 73728, head=192),
    "specs/decoder/ernie4.5-0.3b.yaml": published("ernie-4.5-0.3b", "Ernie4_5ForCausalLM"),
    "specs/decoder/helium-1-preview-2b.yaml": Model("HeliumForCausalLM"),
}
"""What their released configs say beyond the defaults of their class, which are Helium's own."""
