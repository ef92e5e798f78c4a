"""Towers of text and of images, together and apart."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
import transformers

from tests.families.case import VOCABULARY, Case, Given, Values, tokens
from tests.families.cases_image import pixels

if TYPE_CHECKING:
    from torch import Tensor, nn

END = 3
LAYERS = {"num_hidden_layers": 2, "num_attention_heads": 2}
TEXT = {**LAYERS, "hidden_size": 16, "intermediate_size": 24, "vocab_size": VOCABULARY,
        "max_position_embeddings": 20, "eos_token_id": END}  # fmt: skip
VISION = {**LAYERS, "hidden_size": 24, "intermediate_size": 20, "image_size": 12, "patch_size": 4}


def texts() -> Given:
    """Ids with an end here and there, and one row without any."""
    ids = torch.randint(5, VOCABULARY, (3, 9), generator=torch.Generator().manual_seed(2))
    ids[0, 4] = ids[0, 7] = ids[1, 8] = END
    return Given({"ids": ids})


def both() -> Given:
    """As many images as texts."""
    images = pixels().values["pixels"]
    return Given({**texts().values, "pixels": torch.cat((images, images[:1] * 2))})


def alike(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """Texts against images."""
    found = theirs(input_ids=values["ids"], pixel_values=values["pixels"])
    return [found.logits_per_text]


def states(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The hidden states and the pooled vector."""
    found = theirs(next(iter(values.values())))
    return [found.last_hidden_state, found.pooler_output]


def hidden(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The hidden states alone."""
    return [theirs(next(iter(values.values()))).last_hidden_state]


def projected(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The projected vector and the hidden states."""
    found = theirs(next(iter(values.values())))
    vector = found.text_embeds if "ids" in values else found.image_embeds
    return [vector, found.last_hidden_state]


def as_released(said: dict[str, Any]) -> None:
    """The config of the first files: each tower with all that a config of its time had."""
    for tower in ("text_config", "vision_config"):
        more = transformers.PretrainedConfig().to_dict()
        ours = {"tie_word_embeddings": True, "temperature": 1.0, "top_k": 50, "max_length": 20}
        said[tower] = {**more, **ours, "dropout": 0.0, **said[tower]}
    said["text_config_dict"] = said["vision_config_dict"] = None


def described_twice(said: dict[str, Any]) -> None:
    """The mappings of the first files, which go before others that say something else."""
    for tower in ("text_config", "vision_config"):
        said[f"{tower}_dict"] = said[tower]
        said[tower] = {**said[tower], "hidden_act": "relu", "num_hidden_layers": 5}


def with_old_end(sizes: dict[str, Any]) -> dict[str, Any]:
    return {**sizes, "eos_token_id": 2}


def towers(name: str, family: str, **more: Any) -> Case:
    sizes = {"text_config": TEXT, "vision_config": VISION, **more}
    return Case(name, f"{family}Config", f"{family}Model", sizes, given=both, wanted=alike)


def text(name: str, family: str, end: str, sizes: dict[str, Any], wanted: Any) -> Case:
    kinds = (f"{family}TextConfig", f"{family}TextModel{end}")
    return Case(name, *kinds, sizes, given=texts, wanted=wanted)


def vision(name: str, family: str, end: str, sizes: dict[str, Any], wanted: Any) -> Case:
    kinds = (f"{family}VisionConfig", f"{family}VisionModel{end}")
    return Case(name, *kinds, sizes, given=pixels, wanted=wanted)


def captioned() -> Given:
    """Images with padded texts."""
    given = tokens(2)
    return Given({**pixels().values, **given.values}, given.real)


def captions(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The logits of the next word, from the decoder as it is trained."""
    seen = theirs.vision_model(values["pixels"]).last_hidden_state  # type: ignore[operator]
    found = theirs.text_decoder(  # type: ignore[operator]  # a transformers model
        input_ids=values["ids"],
        attention_mask=values["ids_mask"].long(),
        encoder_hidden_states=seen,
        use_cache=False,
    )
    return [found.logits]


def blip(name: str, **more: Any) -> Case:
    text = {**TEXT, "encoder_hidden_size": 24, **more}
    sizes = {"text_config": text, "vision_config": VISION}
    kinds = ("BlipConfig", "BlipForConditionalGeneration")
    return Case(name, *kinds, sizes, given=captioned, wanted=captions)


PROJECTED = "WithProjection"
CASES = [
    blip("blip"),
    towers("clip", "CLIP", projection_dim=10),
    towers(
        "clip-old-end",
        "CLIP",
        projection_dim=10,
        text_config=with_old_end(TEXT),
        vision_config={**VISION, "layer_norm_eps": 1e-4, "hidden_act": "gelu"},
    ),
    replace(towers("clip-as-released", "CLIP", projection_dim=10), edit=as_released),
    replace(towers("clip-described-twice", "CLIP", projection_dim=10), edit=described_twice),
    replace(blip("blip-as-released"), edit=as_released),
    text("clip-text", "CLIP", "", TEXT, states),
    text("clip-text-old-end", "CLIP", "", with_old_end(TEXT), states),
    text("clip-text-projected", "CLIP", PROJECTED, {**TEXT, "projection_dim": 10}, projected),
    vision("clip-vision", "CLIP", "", VISION, states),
    vision("clip-vision-projected", "CLIP", PROJECTED, {**VISION, "projection_dim": 10}, projected),
    towers(
        "siglip",
        "Siglip",
        text_config={**TEXT, "projection_size": 24},
        vision_config={**VISION, "layer_norm_eps": 1e-5},
    ),
    text("siglip-text", "Siglip", "", TEXT, states),
    vision("siglip-vision", "Siglip", "", VISION, states),
    vision("siglip-vision-headless", "Siglip", "", {**VISION, "vision_use_head": False}, hidden),
]
