"""The specs that the repository ships, and those of them that are another one at another size."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "specs"

SHIPPED = sorted(
    path.relative_to(ROOT).as_posix()
    for path in SPECS.rglob("*.yaml")
    if "broken" not in path.parts
)
OWN = {
    f"specs/{name}.yaml"
    for name in (
        *("decoder/deepseek-v2", "decoder/deepseek-v3", "decoder/falcon-40b", "decoder/gemma-7b"),
        *("decoder/gemma2-27b", "decoder/gemma3-27b", "decoder/gemma3-4b", "decoder/llama3.1-8b"),
        *("decoder/llama3.2-1b", "decoder/mistral-7b", "decoder/olmo2-32b", "decoder/phi3-mini"),
        *("decoder/qwen2.5-0.5b", "decoder/qwen3-0.6b", "decoder/smollm2-1.7b"),
        *("decoder/smollm2-135m", "decoder/starcoder2-15b", "encoder-decoder/t5-v1.1-small"),
        *("encoder/bert-base-mlm", "encoder/bert-base-pretraining", "encoder/distilbert-base"),
        *("encoder/roberta-base", "vision/dinov2-giant", "decoder/stablelm-3b-4e1t"),
        *("decoder/glm4-9b-0414", "decoder/granite3-8b", "decoder/olmo-7b", "decoder/opt-350m"),
    )
}
"""Specs that change more than the sizes of what they extend."""

TWINS = {
    path
    for path in SHIPPED
    if "\nextends:" in (ROOT / path).read_text(encoding="utf-8")
    and "/history/" not in path
    and path not in OWN
}
"""Specs that are but for numbers another's, which stands for them where a test takes long."""

DISTINCT = [path for path in SHIPPED if path not in TWINS]
MIXED = {
    f"specs/{name}.yaml"
    for name in (
        *("decoder/command-r-35b", "decoder/deepseek-v2", "decoder/ernie4.5-0.3b"),
        *("decoder/falcon-40b", "decoder/glm4-9b", "decoder/glm4-9b-0414", "decoder/gpt-neo-125m"),
        *("decoder/helium-1-preview-2b", "decoder/olmo-7b", "decoder/olmoe-1b-7b"),
        *("decoder/opt-350m", "decoder/stablelm-2-1.6b", "decoder/stablelm-3b-4e1t"),
        *("decoder/granite3-8b", "decoder/starcoderbase-1b"),
        *("decoder/gemma2-27b", "decoder/gemma3-27b", "decoder/gemma3-4b", "decoder/mpt-7b"),
        *("decoder/olmo2-32b", "decoder/olmo2-7b", "decoder/phi-2", "decoder/qwen3-0.6b"),
        *("decoder/smollm2-1.7b", "decoder/smollm2-135m", "decoder/starcoder2-15b"),
        *("decoder/starcoder2-3b", "encoder-decoder/bart-base", "encoder-decoder/t5-v1.1-small"),
        *("encoder/bert-base-mlm", "encoder/bert-base-pretraining", "encoder/distilbert-base"),
        *("encoder/esm2-8m", "encoder/nomic-embed-v1.5"),
        *("encoder-decoder/mbart-large-50", "vision/dinov2-giant"),
    )
}
"""Distinct specs each of whose parts, a tie or a gate or a norm, is another's too."""

TRACED = [path for path in DISTINCT if path not in MIXED]
"""Those that torch compiles and exports in tests, which takes longest."""

EVERY = [path.removeprefix("specs/").removesuffix(".yaml") for path in DISTINCT]
"""The same as `decoder/gpt2`."""
