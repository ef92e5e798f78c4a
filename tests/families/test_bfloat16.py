"""Norms and scales of the families in bfloat16, bit for bit as transformers has them."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

import archspec
from compiler.importers.imported import Imported, import_config
from compiler.importers.write import write_safetensors
from compiler.pipeline.weights import weights_for
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build, call
from tests.families.bfloat16 import BAR, far, lower, lowered, many
from tests.families.case import Case
from tests.families.cases_dense import LLAMA
from tests.families.test_families import CASES

NAMED: dict[str, Case] = {case.name: case for case in CASES}
NORMED = {
    "llama": "LlamaRMSNorm", "gemma": "GemmaRMSNorm", "gemma2": "Gemma2RMSNorm",
    "gemma3_text": "Gemma3RMSNorm", "qwen3": "Qwen3RMSNorm", "olmo2": "Olmo2RMSNorm",
    "olmoe": "OlmoeRMSNorm", "helium": "HeliumRMSNorm", "granite": "GraniteRMSNorm",
    "glm4": "Glm4RMSNorm", "mixtral": "MixtralRMSNorm", "gpt_oss": "GptOssRMSNorm",
    "llama4": "Llama4TextRMSNorm", "deepseek_v2": "DeepseekV2RMSNorm",
    "deepseek_v3": "DeepseekV3RMSNorm", "t5": "T5LayerNorm", "mt5": "MT5LayerNorm",
    "nemotron": "NemotronLayerNorm1P", "gpt2": "LayerNorm", "mpt": "LayerNorm",
    "cohere": "CohereLayerNorm",
}  # fmt: skip
"""The class of each family's norms; OLMo's and Llama 4's norms of heads have no weights and are
functions within others on both sides."""

OTHER_SUMS = {"CohereLayerNorm"}
"""Norms whose float32 sums are written out there, and torch's own layer norm here: where a number
lies between two of bfloat16, the last bit of the sum decides."""

LAYER = re.compile(r"(^|\.)(h|layers?|block)\.\d")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


def imported(case: Case, theirs: nn.Module, folder: Path) -> nn.Module:
    """Our model of a published one, through its files."""
    published = case.saved(theirs, folder / "published")
    found = import_config(published)
    assert isinstance(found, Imported), found
    made = compiled(archspec.load(found.spec))
    assert isinstance(made, Compiled), made
    weights = weights_for(made.spec, made.program, made.fused, str(published))
    assert weights.sources is not None
    write_safetensors(folder / "model.safetensors", weights.sources, weights.fusions)
    mine = build(made.generated)
    mine.load_state_dict(load_file(folder / "model.safetensors"), strict=True)
    return mine


def gains(model: nn.Module, width: int = 1) -> list[tuple[nn.Module, Tensor]]:
    """The modules of a model with a vector as their weight."""
    found = ((each, getattr(each, "weight", None)) for each in model.modules())
    return [(m, w) for m, w in found if isinstance(w, Tensor) and w.dim() == width]


@pytest.mark.parametrize("name", NORMED)
def test_norms_are_the_same_to_the_bit(name: str, tmp_path: Path) -> None:
    theirs = NAMED[name].theirs()
    mine = lower(imported(NAMED[name], theirs, tmp_path))
    draw = torch.Generator().manual_seed(0)
    norms = [(m, w) for m, w in gains(lower(theirs)) if type(m).__name__ == NORMED[name]]
    assert norms
    for norm, weight in norms:
        (ours,) = (m for m, w in gains(mine) if torch.equal(w, weight))
        x = (3 * torch.randn(512, weight.numel(), generator=draw)).bfloat16()
        with torch.no_grad():
            found, wanted = ours(x), norm(x)
        assert found.dtype == wanted.dtype == torch.bfloat16
        if NORMED[name] in OTHER_SUMS:
            assert (found != wanted).double().mean() < 1e-3
            torch.testing.assert_close(found, wanted, rtol=2**-7, atol=0)
        else:
            assert torch.equal(found, wanted)


GEMMA = {**LLAMA, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1,
         "head_dim": 8, "intermediate_size": 8}  # fmt: skip


def wide(name: str, width: int) -> Case:
    """Gemma as wide as published, and otherwise small."""
    return replace(NAMED["gemma"], name=name, sizes={**GEMMA, "hidden_size": width})


def scaled(name: str, **more: Any) -> Case:
    return replace(NAMED[name], sizes={**NAMED[name].sizes, **more})


SCALED = [
    wide("gemma-3072", 3072),
    wide("gemma-3584", 3584),
    NAMED["gemma2"],
    NAMED["gemma3_text"],
    scaled("granite", embedding_multiplier=12.0, logits_scaling=13.0),
    scaled("cohere", logit_scale=0.0625),
    scaled("cohere", logit_scale=0.3),
    NAMED["esm"],
    NAMED["t5"],
    NAMED["mbart-relu"],
]


def without_branches(theirs: nn.Module) -> nn.Module:
    """The model whose layers add nothing: all their weights zero but those of norms."""
    for name, parameter in theirs.named_parameters():
        if LAYER.search(name) and "norm" not in name.lower():
            parameter.data.zero_()
    return theirs


@pytest.mark.parametrize("case", SCALED, ids=str)
def test_embeddings_and_logits_are_scaled_the_same_to_the_bit(case: Case, tmp_path: Path) -> None:
    """What is left where layers add nothing: rows, their scale, norms, the head and its scale."""
    theirs = without_branches(case.theirs())
    mine = imported(case, theirs, tmp_path)
    given = many(case.given())
    values = lowered(given.values)
    with torch.no_grad():
        found, wanted = call(lower(mine), values), case.wanted(lower(theirs), values)
    for ours, published in zip(found, wanted, strict=True):
        real = ... if given.real is None or ours.shape[:2] != given.real.shape else given.real
        assert ours.dtype == published.dtype == torch.bfloat16
        assert torch.equal(ours[real], published[real])


@pytest.mark.parametrize(("width", "factor"), [(3072, 55.5), (3584, 59.75)])
def test_gemmas_factor_is_a_number_of_the_table(width: int, factor: float, tmp_path: Path) -> None:
    case = wide("gemma", width)
    mine = lower(imported(case, without_branches(case.theirs()), tmp_path))
    (table,) = (w for m, w in gains(mine, 2) if isinstance(m, nn.Embedding))
    final = gains(mine)[-1][0]
    seen: list[Tensor] = []
    final.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    values = case.given().values
    with torch.no_grad():
        call(mine, values)
    rows = table[values["ids"]]
    assert torch.equal(seen[0], rows * torch.tensor(factor, dtype=torch.bfloat16))
    assert not torch.equal(seen[0], rows * width**0.5)


def shortened(x: Tensor) -> Tensor:
    """Numbers of bfloat16 without their last two bits."""
    return (x.view(torch.int16) & -4).view(torch.bfloat16)


def test_a_coarser_model_is_found_out(tmp_path: Path) -> None:
    """A model whose norms keep two bits less than bfloat16 does is above the bar."""
    case = NAMED["llama"]
    theirs = case.theirs()
    mine = imported(case, theirs, tmp_path)
    values = many(case.given()).values
    with torch.no_grad():
        exact, fine = call(mine, values), call(lower(mine), values)
        rough = lower(mine)
        for norm, _ in gains(rough):
            norm.register_forward_hook(lambda *given: shortened(given[2]))
        coarse = call(rough, values)
    assert far(coarse, exact, None)[0] > BAR * far(fine, exact, None)[0]
