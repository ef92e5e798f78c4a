"""Released models at further sizes as transformers makes them, to hold published counts against."""

from typing import Any

from tests.generated.counted import Model
from tests.generated.counted_sizes import LARGE, albert, esm, sizes


def decoder(kind: str, *numbers: int, kv: int, vocab: int, **more: Any) -> Model:
    more = {"num_key_value_heads": kv, "vocab_size": vocab, **more}
    return Model(f"{kind}ForCausalLM", sizes(*numbers, **more))


def gpt2(width: int, layers: int, heads: int) -> Model:
    return Model("GPT2LMHeadModel", {"n_embd": width, "n_layer": layers, "n_head": heads})


def llama(*numbers: int, kv: int, vocab: int = 32000, **more: Any) -> Model:
    return decoder("Llama", *numbers, kv=kv, vocab=vocab, **more)


def mistral(layers: int, hidden: int) -> Model:
    return decoder("Mistral", 5120, layers, 32, hidden, kv=8, vocab=131072, head_dim=128)


def qwen2(*numbers: int, kv: int, vocab: int = 152064, tied: bool = False) -> Model:
    return decoder("Qwen2", *numbers, kv=kv, vocab=vocab, tie_word_embeddings=tied)


def qwen3(*numbers: int, tied: bool) -> Model:
    more = {"kv": 8, "vocab": 151936, "head_dim": 128, "tie_word_embeddings": tied}
    return decoder("Qwen3", *numbers, **more)


def pythia(width: int, layers: int, heads: int, vocab: int) -> Model:
    return Model("GPTNeoXForCausalLM", sizes(width, layers, heads, 4 * width, vocab_size=vocab))


def gpt_neo(width: int, layers: int, heads: int) -> Model:
    said = {"hidden_size": width, "num_layers": layers, "num_heads": heads}
    return Model(
        "GPTNeoForCausalLM", said | {"attention_types": [[["global", "local"], layers // 2]]}
    )


def opt(width: int, layers: int, heads: int) -> Model:
    said = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads}
    return Model("OPTForCausalLM", {**said, "ffn_dim": 4 * width, "word_embed_proj_dim": width})


def bloom(width: int, layers: int, heads: int) -> Model:
    said = {"hidden_size": width, "n_layer": layers, "n_head": heads, "vocab_size": 250880}
    return Model("BloomForCausalLM", said)


def roberta(kind: str, vocab: int, numbers: dict[str, Any]) -> Model:
    more = {"vocab_size": vocab, "type_vocab_size": 1, "max_position_embeddings": 514}
    return Model(f"{kind}Model", {**numbers, **more})


def t5(width: int, layers: int, heads: int, hidden: int, head: int = 64) -> Model:
    said = {"d_model": width, "num_layers": layers, "num_heads": heads, "d_ff": hidden}
    return Model("T5ForConditionalGeneration", {**said, "d_kv": head})


def gated(kind: str, *numbers: int, vocab: int) -> Model:
    words = ("d_model", "num_layers", "num_heads", "d_ff")
    said = {"feed_forward_proj": "gated-gelu", "vocab_size": vocab}
    return Model(
        f"{kind}ForConditionalGeneration", {**dict(zip(words, numbers, strict=True)), **said}
    )


def whisper(width: int, layers: int, heads: int, *, decoder: int = 0, **more: Any) -> Model:
    said = {"d_model": width, "encoder_layers": layers, "decoder_layers": decoder or layers}
    said |= {f"{side}_ffn_dim": 4 * width for side in ("encoder", "decoder")}
    said |= {f"{side}_attention_heads": heads for side in ("encoder", "decoder")}
    return Model("WhisperForConditionalGeneration", {**said, "vocab_size": 51865, **more})


def vit(*numbers: int, patch: int) -> Model:
    return Model("ViTForImageClassification", sizes(*numbers, patch_size=patch, num_labels=1000))


def clip(patch: int, image: int = 224, *, large: bool = True) -> Model:
    seen = {**(LARGE if large else {}), "patch_size": patch, "image_size": image}
    read = sizes(768, 12, 12, 3072) if large else {}
    width = {"projection_dim": 768} if large else {}
    return Model(
        "CLIPModel", {"vision_config": {**seen, **width}, "text_config": read | width, **width}
    )


BASE = sizes(768, 12, 12, 3072)
WIDE = {"num_mel_bins": 128, "vocab_size": 51866}
SIBLINGS = {
    "specs/decoder/gpt2-medium.yaml": gpt2(1024, 24, 16),
    "specs/decoder/gpt2-large.yaml": gpt2(1280, 36, 20),
    "specs/decoder/gpt2-xl.yaml": gpt2(1600, 48, 25),
    "specs/decoder/llama-7b.yaml": llama(4096, 32, 32, 11008, kv=32),
    "specs/decoder/llama-13b.yaml": llama(5120, 40, 40, 13824, kv=40),
    "specs/decoder/llama-33b.yaml": llama(6656, 60, 52, 17920, kv=52),
    "specs/decoder/llama-65b.yaml": llama(8192, 80, 64, 22016, kv=64),
    "specs/decoder/llama2-13b.yaml": llama(5120, 40, 40, 13824, kv=40),
    "specs/decoder/llama2-70b.yaml": llama(8192, 80, 64, 28672, kv=8),
    "specs/decoder/llama3-70b.yaml": llama(8192, 80, 64, 28672, kv=8, vocab=128256),
    "specs/decoder/llama3.1-70b.yaml": llama(8192, 80, 64, 28672, kv=8, vocab=128256),
    "specs/decoder/llama3.3-70b.yaml": llama(8192, 80, 64, 28672, kv=8, vocab=128256),
    "specs/decoder/llama3.1-405b.yaml": llama(16384, 126, 128, 53248, kv=8, vocab=128256),
    "specs/decoder/llama3.2-3b.yaml": llama(
        3072, 28, 24, 8192, kv=8, vocab=128256, tie_word_embeddings=True
    ),
    "specs/decoder/codellama-34b.yaml": llama(8192, 48, 64, 22016, kv=8),
    "specs/decoder/tinyllama-1.1b.yaml": llama(2048, 22, 32, 5632, kv=4),
    "specs/decoder/smollm2-360m.yaml": llama(
        960, 32, 15, 2560, kv=5, vocab=49152, tie_word_embeddings=True
    ),
    "specs/decoder/yi-6b.yaml": llama(4096, 32, 32, 11008, kv=4, vocab=64000),
    "specs/decoder/yi-34b.yaml": llama(7168, 60, 56, 20480, kv=8, vocab=64000),
    "specs/decoder/mistral-7b-v0.3.yaml": decoder(
        "Mistral", 4096, 32, 32, 14336, kv=8, vocab=32768
    ),
    "specs/decoder/mistral-nemo-12b.yaml": mistral(40, 14336),
    "specs/decoder/mistral-small-24b.yaml": mistral(40, 32768),
    "specs/decoder/qwen2.5-1.5b.yaml": qwen2(1536, 28, 12, 8960, kv=2, vocab=151936, tied=True),
    "specs/decoder/qwen2.5-3b.yaml": qwen2(2048, 36, 16, 11008, kv=2, vocab=151936, tied=True),
    "specs/decoder/qwen2.5-14b.yaml": qwen2(5120, 48, 40, 13824, kv=8),
    "specs/decoder/qwen2.5-32b.yaml": qwen2(5120, 64, 40, 27648, kv=8),
    "specs/decoder/qwen2.5-72b.yaml": qwen2(8192, 80, 64, 29568, kv=8),
    "specs/decoder/qwen3-1.7b.yaml": qwen3(2048, 28, 16, 6144, tied=True),
    "specs/decoder/qwen3-4b.yaml": qwen3(2560, 36, 32, 9728, tied=True),
    "specs/decoder/qwen3-32b.yaml": qwen3(5120, 64, 64, 25600, tied=False),
    "specs/decoder/gemma2-9b.yaml": decoder(
        "Gemma2", 3584, 42, 16, 14336, kv=8, vocab=256000, head_dim=256
    ),
    "specs/decoder/gemma3-270m.yaml": decoder(
        "Gemma3", 640, 18, 4, 2048, kv=1, vocab=262144, head_dim=256
    ),
    "specs/decoder/phi-1.5.yaml": decoder("Phi", 2048, 24, 32, 8192, kv=32, vocab=51200),
    "specs/decoder/phi3-medium.yaml": decoder("Phi3", 5120, 40, 40, 17920, kv=10, vocab=32064),
    "specs/decoder/pythia-70m.yaml": pythia(512, 6, 8, 50304),
    "specs/decoder/pythia-160m.yaml": pythia(768, 12, 12, 50304),
    "specs/decoder/pythia-410m.yaml": pythia(1024, 24, 16, 50304),
    "specs/decoder/pythia-1b.yaml": pythia(2048, 16, 8, 50304),
    "specs/decoder/pythia-1.4b.yaml": pythia(2048, 24, 16, 50304),
    "specs/decoder/pythia-2.8b.yaml": pythia(2560, 32, 32, 50304),
    "specs/decoder/pythia-6.9b.yaml": pythia(4096, 32, 32, 50432),
    "specs/decoder/pythia-12b.yaml": pythia(5120, 36, 40, 50688),
    "specs/decoder/gpt-neo-1.3b.yaml": gpt_neo(2048, 24, 16),
    "specs/decoder/gpt-neo-2.7b.yaml": gpt_neo(2560, 32, 20),
    "specs/decoder/opt-1.3b.yaml": opt(2048, 24, 32),
    "specs/decoder/opt-2.7b.yaml": opt(2560, 32, 32),
    "specs/decoder/opt-6.7b.yaml": opt(4096, 32, 32),
    "specs/decoder/opt-13b.yaml": opt(5120, 40, 40),
    "specs/decoder/opt-30b.yaml": opt(7168, 48, 56),
    "specs/decoder/opt-66b.yaml": opt(9216, 64, 72),
    "specs/decoder/opt-175b.yaml": opt(12288, 96, 96),
    "specs/decoder/bloom-1b1.yaml": bloom(1536, 24, 16),
    "specs/decoder/bloom-1b7.yaml": bloom(2048, 24, 16),
    "specs/decoder/bloom-3b.yaml": bloom(2560, 30, 32),
    "specs/decoder/bloom-7b1.yaml": bloom(4096, 30, 32),
    "specs/decoder/bloom-176b.yaml": bloom(14336, 70, 112),
    "specs/decoder/starcoder2-7b.yaml": decoder(
        "Starcoder2", 4608, 32, 36, 18432, kv=4, vocab=49152
    ),
    "specs/decoder/olmo2-1b.yaml": decoder("Olmo2", 2048, 16, 16, 8192, kv=16, vocab=100352),
    "specs/decoder/olmo2-13b.yaml": decoder("Olmo2", 5120, 40, 40, 13824, kv=40, vocab=100352),
    "specs/encoder/bert-large.yaml": Model("BertModel", LARGE),
    "specs/encoder/roberta-large.yaml": roberta("Roberta", 50265, LARGE),
    "specs/encoder/xlm-roberta-base.yaml": roberta("XLMRoberta", 250002, BASE),
    "specs/encoder/xlm-roberta-large.yaml": roberta("XLMRoberta", 250002, LARGE),
    "specs/encoder/albert-large-v2.yaml": albert(1024, 24, 16),
    "specs/encoder/albert-xlarge-v2.yaml": albert(2048, 24, 16),
    "specs/encoder/minilm-l12.yaml": Model("BertModel", sizes(384, 12, 12, 1536)),
    "specs/encoder/esm2-35m.yaml": esm(480, 12, 20),
    "specs/encoder/esm2-150m.yaml": esm(640, 30, 20),
    "specs/encoder/esm2-3b.yaml": esm(2560, 36, 40),
    "specs/encoder-decoder/t5-base.yaml": t5(768, 12, 12, 3072),
    "specs/encoder-decoder/t5-large.yaml": t5(1024, 24, 16, 4096),
    "specs/encoder-decoder/t5-3b.yaml": t5(1024, 24, 32, 16384, 128),
    "specs/encoder-decoder/t5-11b.yaml": t5(1024, 24, 128, 65536, 128),
    "specs/encoder-decoder/t5-v1.1-base.yaml": gated("T5", 768, 12, 12, 2048, vocab=32128),
    "specs/encoder-decoder/t5-v1.1-large.yaml": gated("T5", 1024, 24, 16, 2816, vocab=32128),
    "specs/encoder-decoder/t5-v1.1-xl.yaml": gated("T5", 2048, 24, 32, 5120, vocab=32128),
    "specs/encoder-decoder/t5-v1.1-xxl.yaml": gated("T5", 4096, 24, 64, 10240, vocab=32128),
    "specs/encoder-decoder/mt5-small.yaml": gated("MT5", 512, 8, 6, 1024, vocab=250112),
    "specs/encoder-decoder/mt5-base.yaml": gated("MT5", 768, 12, 12, 2048, vocab=250112),
    "specs/encoder-decoder/mt5-large.yaml": gated("MT5", 1024, 24, 16, 2816, vocab=250112),
    "specs/encoder-decoder/mt5-xl.yaml": gated("MT5", 2048, 24, 32, 5120, vocab=250112),
    "specs/encoder-decoder/mt5-xxl.yaml": gated("MT5", 4096, 24, 64, 10240, vocab=250112),
    "specs/encoder-decoder/bart-large.yaml": Model("BartForConditionalGeneration"),
    "specs/encoder-decoder/whisper-base.yaml": whisper(512, 6, 8),
    "specs/encoder-decoder/whisper-small.yaml": whisper(768, 12, 12),
    "specs/encoder-decoder/whisper-medium.yaml": whisper(1024, 24, 16),
    "specs/encoder-decoder/whisper-large-v2.yaml": whisper(1280, 32, 20),
    "specs/encoder-decoder/whisper-large-v3.yaml": whisper(1280, 32, 20, **WIDE),
    "specs/encoder-decoder/whisper-large-v3-turbo.yaml": whisper(1280, 32, 20, decoder=4, **WIDE),
    "specs/vision/vit-b32.yaml": vit(768, 12, 12, 3072, patch=32),
    "specs/vision/vit-l16.yaml": vit(1024, 24, 16, 4096, patch=16),
    "specs/vision/vit-l32.yaml": vit(1024, 24, 16, 4096, patch=32),
    "specs/vision/vit-h14.yaml": vit(1280, 32, 16, 5120, patch=14),
    "specs/vision/deit-ti.yaml": vit(192, 12, 3, 768, patch=16),
    "specs/vision/deit-s.yaml": vit(384, 12, 6, 1536, patch=16),
    "specs/vision/deit-b.yaml": vit(768, 12, 12, 3072, patch=16),
    "specs/multimodal/clip-b16.yaml": clip(16, large=False),
    "specs/multimodal/clip-l14.yaml": clip(14),
    "specs/multimodal/clip-l14-336.yaml": clip(14, 336),
}
"""What their released configs say beyond the defaults of their class."""
