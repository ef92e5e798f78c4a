"""The one table of families: `weights: bert` names its rules, `archc import` its configs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.suggest import did_you_mean
from compiler.importers.families.albert import ALBERT
from compiler.importers.families.bart import BART
from compiler.importers.families.beit import BEIT
from compiler.importers.families.bert import BERT
from compiler.importers.families.blip import BLIP
from compiler.importers.families.bloom import BLOOM
from compiler.importers.families.clip import CLIP, CLIP_TEXT, CLIP_VISION
from compiler.importers.families.codegen import CODEGEN
from compiler.importers.families.cohere import COHERE
from compiler.importers.families.deberta_v2 import DEBERTA_V2
from compiler.importers.families.deepseek_v2 import DEEPSEEK_V2
from compiler.importers.families.deepseek_v3 import DEEPSEEK_V3
from compiler.importers.families.dinov2 import DINOV2, DINOV2_WITH_REGISTERS
from compiler.importers.families.distilbert import DISTILBERT
from compiler.importers.families.ernie4_5 import ERNIE4_5
from compiler.importers.families.esm import ESM
from compiler.importers.families.falcon import FALCON
from compiler.importers.families.family import Family, Known
from compiler.importers.families.gemma import GEMMA
from compiler.importers.families.gemma2 import GEMMA2
from compiler.importers.families.gemma3 import GEMMA3
from compiler.importers.families.glm import GLM
from compiler.importers.families.glm4 import GLM4
from compiler.importers.families.gpt2 import GPT2
from compiler.importers.families.gpt_bigcode import GPT_BIGCODE
from compiler.importers.families.gpt_neo import GPT_NEO
from compiler.importers.families.gpt_neox import GPT_NEOX
from compiler.importers.families.gpt_oss import GPT_OSS
from compiler.importers.families.gptj import GPTJ
from compiler.importers.families.granite import GRANITE
from compiler.importers.families.helium import HELIUM
from compiler.importers.families.llama import LLAMA
from compiler.importers.families.llama4 import LLAMA4
from compiler.importers.families.mixtral import MIXTRAL
from compiler.importers.families.modernbert import MODERNBERT
from compiler.importers.families.mpt import MPT
from compiler.importers.families.nemotron import NEMOTRON
from compiler.importers.families.nomic_bert import NOMIC_BERT
from compiler.importers.families.olmo import OLMO
from compiler.importers.families.olmo2 import OLMO2
from compiler.importers.families.olmoe import OLMOE
from compiler.importers.families.opt import OPT
from compiler.importers.families.phi import PHI
from compiler.importers.families.phi3 import PHI3
from compiler.importers.families.qwen2 import QWEN2
from compiler.importers.families.qwen2_moe import QWEN2_MOE
from compiler.importers.families.qwen3 import QWEN3
from compiler.importers.families.qwen3_moe import QWEN3_MOE
from compiler.importers.families.roberta import ROBERTA
from compiler.importers.families.siglip import SIGLIP, SIGLIP_TEXT, SIGLIP_VISION
from compiler.importers.families.smollm3 import SMOLLM3
from compiler.importers.families.stablelm import STABLELM
from compiler.importers.families.starcoder2 import STARCODER2
from compiler.importers.families.t5 import T5, UMT5
from compiler.importers.families.vit import DEIT, VIT
from compiler.importers.families.whisper import WHISPER
from compiler.importers.names import names_of
from compiler.importers.printable import printable
from compiler.importers.rules import Rules, parse_rules

if TYPE_CHECKING:
    from archspec.model.spec import Spec

FAMILIES: Mapping[str, Family] = {
    "albert": ALBERT,
    "bart": BART,
    "beit": BEIT,
    "bert": BERT,
    "blip": BLIP,
    "bloom": BLOOM,
    "clip": CLIP,
    "clip_text": CLIP_TEXT,
    "clip_vision": CLIP_VISION,
    "codegen": CODEGEN,
    "cohere": COHERE,
    "deberta_v2": DEBERTA_V2,
    "deepseek_v2": DEEPSEEK_V2,
    "deepseek_v3": DEEPSEEK_V3,
    "deit": DEIT,
    "dinov2": DINOV2,
    "dinov2_with_registers": DINOV2_WITH_REGISTERS,
    "distilbert": DISTILBERT,
    "ernie4_5": ERNIE4_5,
    "esm": ESM,
    "falcon": FALCON,
    "gemma": GEMMA,
    "gemma2": GEMMA2,
    "gemma3": GEMMA3,
    "glm": GLM,
    "glm4": GLM4,
    "gpt2": GPT2,
    "gpt_bigcode": GPT_BIGCODE,
    "gpt_neo": GPT_NEO,
    "gpt_neox": GPT_NEOX,
    "gpt_oss": GPT_OSS,
    "gptj": GPTJ,
    "granite": GRANITE,
    "helium": HELIUM,
    "llama": LLAMA,
    "llama4": LLAMA4,
    "mixtral": MIXTRAL,
    "modernbert": MODERNBERT,
    "mpt": MPT,
    "nemotron": NEMOTRON,
    "nomic_bert": NOMIC_BERT,
    "olmo": OLMO,
    "olmo2": OLMO2,
    "olmoe": OLMOE,
    "opt": OPT,
    "phi": PHI,
    "phi3": PHI3,
    "qwen2": QWEN2,
    "qwen2_moe": QWEN2_MOE,
    "qwen3": QWEN3,
    "qwen3_moe": QWEN3_MOE,
    "roberta": ROBERTA,
    "siglip": SIGLIP,
    "siglip_text": SIGLIP_TEXT,
    "siglip_vision": SIGLIP_VISION,
    "stablelm": STABLELM,
    "smollm3": SMOLLM3,
    "starcoder2": STARCODER2,
    "t5": T5,
    "umt5": UMT5,
    "whisper": WHISPER,
    "vit": VIT,
}


def known_types() -> dict[str, Known]:
    """Every `model_type` that can be imported."""
    return {
        kind: Known(name, family.spec, type_)
        for name, family in FAMILIES.items()
        if family.spec is not None
        for kind, type_ in family.types.items()
    }


def rules_of(spec: "Spec") -> Rules | tuple[Diagnostic, ...] | None:
    """The rules that a spec's `weights:` stands for: a family's, or those it spells out.

    Diagnostics are AR0707 for a malformed rule and AR0714 for an unknown family.
    """
    weights = spec.weights
    if weights is None:
        return None
    if not weights.family:
        return parse_rules(weights.rules, lambda key: weights.spans.get(key, weights.span))
    family = FAMILIES.get(weights.family)
    if family is None:
        message = f"`{printable(weights.family)}` is no family of weights that we know"
        label = Label(weights.span, did_you_mean(weights.family, FAMILIES) or "unknown family")
        hint = f"there are {', '.join(FAMILIES)}; or write the rules themselves"
        return (Diagnostic("AR0714", message, label, help=hint),)
    return parse_rules(family.named(names_of(spec)), lambda _: weights.span)
