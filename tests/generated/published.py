"""What was published of the sizes of the models in `specs/`, each with where it stands."""

from tests.generated.rounded import COUNTED

PUBLISHED = {
    # Radford et al. 2019; Brown et al. 2020, table 2.1 (D.1 rounds them)
    "specs/decoder/gpt2.yaml": 124_439_808,
    "specs/decoder/gpt2-medium.yaml": 354_823_168,
    "specs/decoder/gpt2-large.yaml": 774_030_080,
    "specs/decoder/gpt2-xl.yaml": 1_557_611_200,
    "specs/decoder/gpt3-125m.yaml": 125_226_240,
    "specs/decoder/gpt3-350m.yaml": 355_871_744,
    "specs/decoder/gpt3-760m.yaml": 760_300_032,
    "specs/decoder/gpt3-1.3b.yaml": 1_315_723_264,
    "specs/decoder/gpt3-2.7b.yaml": 2_651_553_280,
    "specs/decoder/gpt3-6.7b.yaml": 6_658_404_352,
    "specs/decoder/gpt3-13b.yaml": 12_853_386_240,
    "specs/decoder/gpt3-175b.yaml": 174_604_259_328,
    # Touvron et al. 2023, table 2 of both papers; Meta's and Llama's followers' model cards
    "specs/decoder/llama-7b.yaml": 6_738_415_616,
    "specs/decoder/llama-13b.yaml": 13_015_864_320,
    "specs/decoder/llama-33b.yaml": 32_528_943_616,
    "specs/decoder/llama-65b.yaml": 65_285_660_672,
    "specs/decoder/llama2-7b.yaml": 6_738_415_616,
    "specs/decoder/llama2-13b.yaml": 13_015_864_320,
    "specs/decoder/llama2-70b.yaml": 68_976_648_192,
    "specs/decoder/llama3-8b.yaml": 8_030_261_248,
    "specs/decoder/llama3-70b.yaml": 70_553_706_496,
    "specs/decoder/llama3.1-8b.yaml": 8_030_261_248,
    "specs/decoder/llama3.1-70b.yaml": 70_553_706_496,
    "specs/decoder/llama3.1-405b.yaml": 405_853_388_800,
    "specs/decoder/llama3.2-1b.yaml": 1_235_814_400,
    "specs/decoder/llama3.2-3b.yaml": 3_212_749_824,
    "specs/decoder/llama3.3-70b.yaml": 70_553_706_496,
    "specs/decoder/codellama-34b.yaml": 33_743_970_304,
    "specs/decoder/tinyllama-1.1b.yaml": 1_100_048_384,
    "specs/decoder/smollm2-135m.yaml": 134_515_008,
    "specs/decoder/smollm2-360m.yaml": 361_821_120,
    "specs/decoder/smollm2-1.7b.yaml": 1_711_376_384,
    "specs/decoder/smollm3-3b.yaml": 3_075_098_624,
    "specs/decoder/yi-6b.yaml": 6_061_035_520,
    "specs/decoder/yi-34b.yaml": 34_388_917_248,
    # Mistral AI's model cards
    "specs/decoder/mistral-7b.yaml": 7_241_732_096,
    "specs/decoder/mistral-7b-v0.3.yaml": 7_248_023_552,
    "specs/decoder/mistral-nemo-12b.yaml": 12_247_782_400,
    "specs/decoder/mistral-small-24b.yaml": 23_572_403_200,
    "specs/decoder/mixtral-8x7b.yaml": 46_702_792_704,
    # Qwen's model cards
    "specs/decoder/qwen2.5-0.5b.yaml": 494_032_768,
    "specs/decoder/qwen2.5-1.5b.yaml": 1_543_714_304,
    "specs/decoder/qwen2.5-3b.yaml": 3_085_938_688,
    "specs/decoder/qwen2.5-7b.yaml": 7_615_616_512,
    "specs/decoder/qwen2.5-14b.yaml": 14_770_033_664,
    "specs/decoder/qwen2.5-32b.yaml": 32_763_876_352,
    "specs/decoder/qwen2.5-72b.yaml": 72_706_203_648,
    "specs/decoder/qwen3-0.6b.yaml": 596_049_920,
    "specs/decoder/qwen3-1.7b.yaml": 1_720_574_976,
    "specs/decoder/qwen3-4b.yaml": 4_022_468_096,
    "specs/decoder/qwen3-8b.yaml": 8_190_735_360,
    "specs/decoder/qwen3-32b.yaml": 32_762_123_264,
    # DeepSeek-AI 2024, without the layer that predicts one token more; OpenAI 2025
    "specs/decoder/deepseek-v2.yaml": 235_741_434_880,
    "specs/decoder/deepseek-v3.yaml": 671_026_404_352,
    # Gemma Team 2024, 2025: the text models
    "specs/decoder/gemma-2b.yaml": 2_506_172_416,
    "specs/decoder/gemma-7b.yaml": 8_537_680_896,
    "specs/decoder/gemma2-2b.yaml": 2_614_341_888,
    "specs/decoder/gemma2-9b.yaml": 9_241_705_984,
    "specs/decoder/gemma2-27b.yaml": 27_227_128_320,
    "specs/decoder/gemma3-270m.yaml": 268_098_176,
    "specs/decoder/gemma3-1b.yaml": 999_885_952,
    # Microsoft's model cards
    "specs/decoder/phi-1.5.yaml": 1_418_270_720,
    "specs/decoder/phi-2.yaml": 2_779_683_840,
    "specs/decoder/phi3-mini.yaml": 3_821_079_552,
    "specs/decoder/phi3-medium.yaml": 13_960_238_080,
    "specs/decoder/phi4.yaml": 14_659_507_200,
    # Biderman et al. 2023, table 1; EleutherAI's model cards
    "specs/decoder/pythia-70m.yaml": 70_426_624,
    "specs/decoder/pythia-160m.yaml": 162_322_944,
    "specs/decoder/pythia-410m.yaml": 405_334_016,
    "specs/decoder/pythia-1b.yaml": 1_011_781_632,
    "specs/decoder/pythia-1.4b.yaml": 1_414_647_808,
    "specs/decoder/pythia-2.8b.yaml": 2_775_208_960,
    "specs/decoder/pythia-6.9b.yaml": 6_857_302_016,
    "specs/decoder/pythia-12b.yaml": 11_846_072_320,
    "specs/decoder/gpt-neox-20b.yaml": 20_554_567_680,
    "specs/decoder/gpt-j-6b.yaml": 6_050_882_784,
    # Black et al. 2021; Tow et al. 2023, model card
    "specs/decoder/gpt-neo-125m.yaml": 125_198_592,
    "specs/decoder/gpt-neo-1.3b.yaml": 1_315_575_808,
    "specs/decoder/gpt-neo-2.7b.yaml": 2_651_307_520,
    "specs/decoder/stablelm-3b-4e1t.yaml": 2_795_443_200,
    # Zhang et al. 2022, table 1; Workshop et al. 2022, model cards
    "specs/decoder/opt-125m.yaml": 125_239_296,
    "specs/decoder/opt-350m.yaml": 331_196_416,
    "specs/decoder/opt-1.3b.yaml": 1_315_758_080,
    "specs/decoder/opt-2.7b.yaml": 2_651_596_800,
    "specs/decoder/opt-6.7b.yaml": 6_658_473_984,
    "specs/decoder/opt-13b.yaml": 12_853_473_280,
    "specs/decoder/opt-30b.yaml": 29_974_540_288,
    "specs/decoder/opt-66b.yaml": 65_719_701_504,
    "specs/decoder/opt-175b.yaml": 174_604_468_224,
    "specs/decoder/bloom-560m.yaml": 559_214_592,
    "specs/decoder/bloom-1b1.yaml": 1_065_314_304,
    "specs/decoder/bloom-1b7.yaml": 1_722_408_960,
    "specs/decoder/bloom-3b.yaml": 3_002_557_440,
    "specs/decoder/bloom-7b1.yaml": 7_069_016_064,
    "specs/decoder/bloom-176b.yaml": 176_247_271_424,
    # Almazrouei et al. 2023; MosaicML, Cohere, BigCode and OLMo model cards
    "specs/decoder/falcon-7b.yaml": 6_921_720_704,
    "specs/decoder/mpt-7b.yaml": 6_649_286_656,
    "specs/decoder/command-r-35b.yaml": 34_980_831_232,
    "specs/decoder/starcoder2-3b.yaml": 3_030_371_328,
    "specs/decoder/starcoder2-7b.yaml": 7_173_923_840,
    "specs/decoder/starcoder2-15b.yaml": 15_957_889_024,
    "specs/decoder/olmo-1b.yaml": 1_176_764_416,
    "specs/decoder/olmo-7b.yaml": 6_888_095_744,
    "specs/decoder/olmo2-1b.yaml": 1_484_916_736,
    "specs/decoder/olmo2-7b.yaml": 7_298_617_344,
    "specs/decoder/olmo2-13b.yaml": 13_716_198_400,
    "specs/decoder/olmo2-32b.yaml": 32_234_279_936,
    # Devlin et al. 2019, by what the model says; Liu et al. 2019; Conneau et al. 2020
    "specs/encoder/bert-base.yaml": 109_482_240,
    "specs/encoder/bert-base-mlm.yaml": 109_514_298,
    "specs/encoder/bert-base-pretraining.yaml": 110_106_428,
    "specs/encoder/bert-large.yaml": 335_141_888,
    "specs/encoder/roberta-base.yaml": 124_645_632,
    "specs/encoder/roberta-large.yaml": 355_359_744,
    "specs/encoder/xlm-roberta-base.yaml": 278_043_648,
    "specs/encoder/xlm-roberta-large.yaml": 559_890_432,
    # Sanh et al. 2019; Lan et al. 2020; Wang et al. 2020; He et al. 2023
    "specs/encoder/distilbert-base.yaml": 66_362_880,
    "specs/encoder/albert-large-v2.yaml": 17_683_968,
    "specs/encoder/albert-xlarge-v2.yaml": 58_724_864,
    "specs/encoder/minilm-l12.yaml": 33_360_000,
    # Warner et al. 2024; Nussbaum et al. 2024; Lin et al. 2023
    "specs/encoder/modernbert-base.yaml": 149_655_232,
    "specs/encoder/esm2-35m.yaml": 33_501_153,
    "specs/encoder/esm2-150m.yaml": 148_139_553,
    "specs/encoder/esm2-3b.yaml": 2_839_004_193,
    # Vaswani et al. 2017, table 3, with a table of 37,000 tokens
    "specs/encoder-decoder/transformer-base.yaml": 63_082_496,
    "specs/encoder-decoder/transformer-big.yaml": 214_245_376,
    # Raffel et al. 2020; Xue et al. 2021
    "specs/encoder-decoder/t5-small.yaml": 60_506_624,
    "specs/encoder-decoder/t5-base.yaml": 222_903_552,
    "specs/encoder-decoder/t5-large.yaml": 737_668_096,
    "specs/encoder-decoder/t5-3b.yaml": 2_851_598_336,
    "specs/encoder-decoder/t5-11b.yaml": 11_307_321_344,
    "specs/encoder-decoder/t5-v1.1-small.yaml": 76_961_152,
    "specs/encoder-decoder/t5-v1.1-base.yaml": 247_577_856,
    "specs/encoder-decoder/t5-v1.1-large.yaml": 783_150_080,
    "specs/encoder-decoder/t5-v1.1-xl.yaml": 2_849_757_184,
    "specs/encoder-decoder/t5-v1.1-xxl.yaml": 11_135_332_352,
    "specs/encoder-decoder/mt5-small.yaml": 300_176_768,
    "specs/encoder-decoder/mt5-base.yaml": 582_401_280,
    "specs/encoder-decoder/mt5-large.yaml": 1_229_581_312,
    "specs/encoder-decoder/mt5-xl.yaml": 3_742_619_648,
    "specs/encoder-decoder/mt5-xxl.yaml": 12_921_057_280,
    # Lewis et al. 2020; Tang et al. 2020, with the bias of their logits; Radford et al. 2022
    "specs/encoder-decoder/bart-base.yaml": 139_470_681,
    "specs/encoder-decoder/bart-large.yaml": 406_341_721,
    "specs/encoder-decoder/mbart-large-50.yaml": 610_879_488 + 250_054,
    "specs/encoder-decoder/whisper-base.yaml": 72_593_920,
    "specs/encoder-decoder/whisper-small.yaml": 241_734_912,
    "specs/encoder-decoder/whisper-medium.yaml": 763_857_920,
    "specs/encoder-decoder/whisper-large-v2.yaml": 1_543_304_960,
    "specs/encoder-decoder/whisper-large-v3.yaml": 1_543_490_560,
    "specs/encoder-decoder/whisper-large-v3-turbo.yaml": 808_878_080,
    # torchvision; Touvron et al. 2021
    "specs/vision/vit-b16-cls.yaml": 86_567_656,
    "specs/vision/vit-b16-mean.yaml": 86_567_656 - 2 * 768,
    "specs/vision/vit-b32.yaml": 88_224_232,
    "specs/vision/vit-l16.yaml": 304_326_632,
    "specs/vision/vit-l32.yaml": 306_535_400,
    "specs/vision/vit-h14.yaml": 632_045_800,
    "specs/vision/deit-ti.yaml": 5_717_416,
    "specs/vision/deit-s.yaml": 22_050_664,
    "specs/vision/deit-b.yaml": 86_567_656,
    # Radford et al. 2021; Zhai et al. 2023
    "specs/multimodal/clip-b16.yaml": 149_620_737,
    "specs/multimodal/clip-l14.yaml": 427_616_513,
    "specs/multimodal/clip-l14-336.yaml": 427_944_193,
    "specs/multimodal/siglip-b16.yaml": 203_155_970,
    "specs/history/13-mixture-of-experts.yaml": 512 * 128
    + 4 * (4 * 128**2 + 2 * 128 + 128 * 8 + 8 * 2 * 128 * 512)
    + 128,
}
"""The numbers of papers, model cards, files of weights and torchvision, and of papers' formulas; a
tied head counts once. ViT without its class token and that token's position."""

PARAMETERS = {**PUBLISHED, **COUNTED}

ACTIVE = {
    "specs/decoder/mixtral-8x7b.yaml": 12_879_925_248,
    "specs/decoder/deepseek-v2.yaml": 21_375_800_320,
    "specs/decoder/deepseek-v3.yaml": 37_552_282_624,
}
"""What one token makes use of, the embedding's whole table included, which papers round."""

BILLIONS_ACTIVE = {
    "specs/decoder/mixtral-8x7b.yaml": "12.9",  # Jiang et al. 2024: "13B"; the model card
    "specs/decoder/mixtral-8x22b.yaml": "39",  # Mistral AI 2024
    "specs/decoder/deepseek-v2.yaml": "21",  # DeepSeek-AI 2024
    "specs/decoder/deepseek-v3.yaml": "37",  # DeepSeek-AI 2024
    "specs/decoder/qwen1.5-moe-a2.7b.yaml": "2.7",  # Qwen Team 2024
    "specs/decoder/qwen3-30b-a3b.yaml": "3.3",  # Yang et al. 2025
    "specs/decoder/olmoe-1b-7b.yaml": "1.3",  # Muennighoff et al. 2024
    "specs/decoder/qwen3-235b-a22b.yaml": "22",  # Yang et al. 2025
}
BILLIONS_BEHIND_TABLES = {
    "specs/decoder/deepseek-v2-lite.yaml": "2.4",  # DeepSeek-AI 2024
    "specs/decoder/gpt-oss-20b.yaml": "3.61",  # OpenAI 2025, table 1
    "specs/decoder/gpt-oss-120b.yaml": "5.13",  # OpenAI 2025, table 1
}
"""Rounded or cut to the digits that papers print; the second without the embedding's table."""

BEHIND_TABLES = {
    "specs/decoder/pythia-70m.yaml": 18_915_328,
    "specs/decoder/pythia-160m.yaml": 85_056_000,
    "specs/decoder/pythia-410m.yaml": 302_311_424,
    "specs/decoder/pythia-1b.yaml": 805_736_448,
    "specs/decoder/pythia-1.4b.yaml": 1_208_602_624,
    "specs/decoder/pythia-2.8b.yaml": 2_517_652_480,
    "specs/decoder/pythia-6.9b.yaml": 6_444_163_072,
    "specs/decoder/pythia-12b.yaml": 11_327_027_200,
}
"""Biderman et al. 2023, table 1, and model cards: neither the embedding nor the output table."""

GPT3_MILLIONS = {
    "125m": (768, 12, 125),
    "350m": (1024, 24, 356),
    "760m": (1536, 24, 760),
    "1.3b": (2048, 24, 1320),
    "2.7b": (2560, 32, 2650),
    "6.7b": (4096, 32, 6660),
    "13b": (5120, 40, 12850),
    "175b": (12288, 96, 174600),
}
"""Brown et al. 2020: width and layers of table 2.1, millions of parameters of table D.1. The width
of 5140 that the first prints for 13B does not give the second's count; 5120 does."""

TRANSFORMER_MILLIONS = {"base": 65, "big": 213}
"""Vaswani et al. 2017, table 3: of no one vocabulary, so that one of 37,000 is within 3 %."""
