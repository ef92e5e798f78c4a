"""Forms of a mixture of experts, a model that is one, and the loop over experts that it is."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

import archspec
from compiler.importers.write import write_safetensors
from compiler.ir.size import value
from compiler.pipeline.weights import Weights, weights_for
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "silu": functional.silu,
    "relu": functional.relu,
}
FORMS: dict[str, dict[str, Any]] = {
    "plain": {"experts": 5, "top_k": 2, "expert": {"hidden": 24, "act": "gelu"}},
    "gated, renormalised": {
        "experts": 8, "top_k": 2, "expert": {"hidden": 24, "act": "silu", "gated": True},
        "router": {"renorm": True},
    },
    "chosen first": {
        "experts": 6, "top_k": 3, "expert": {"hidden": 16, "act": "relu", "bias": True},
        "router": {"score": "none", "after_topk": "softmax", "bias": True},
    },
    "one expert a token": {"experts": 4, "top_k": 1, "expert": {"hidden": 32, "act": "relu"}},
    "every one": {"experts": 3, "top_k": 3, "expert": {"hidden": 16, "act": "gelu", "bias": True}},
    "one expert in all": {"experts": 1, "top_k": 1, "expert": {"hidden": 16, "act": "gelu"}},
    "odd widths": {
        "experts": 4, "top_k": 2, "router": {"renorm": True},
        "expert": {"hidden": 13, "act": "silu", "gated": True, "bias": True},
    },
}  # fmt: skip


def alone(moe: Mapping[str, Any], width: int = 16) -> Compiled:
    """A model that is one mixture over a sequence of vectors."""
    made = compiled(
        archspec.load(
            {
                "name": "mixture",
                "inputs": {"x": {"features": ["T", width]}},
                "graph": {"y": {"moe": dict(moe), "in": "x"}},
            }
        )
    )
    assert isinstance(made, Compiled), made
    return made


def canonical(made: Compiled, seed: int = 0) -> dict[str, Tensor]:
    """A random tensor for every parameter, expert by expert."""
    draw = torch.Generator().manual_seed(seed)
    sizes = made.program.key.sizes
    return {
        name: torch.randn([value(n, sizes) for n in found.shape], generator=draw) * 0.3
        for name, found in made.program.parameters().items()
    }


def loaded(made: Compiled, weights: Mapping[str, Tensor], folder: Path) -> Weights:
    """Canonical weights through a file and the loader, as a build reads them."""
    save_file(dict(weights), folder / "canonical.safetensors")
    return weights_for(made.spec, made.program, made.fused, str(folder / "canonical.safetensors"))


def live(made: Compiled, found: Weights, folder: Path) -> Any:
    """The generated module with these weights, by way of the file that a build writes."""
    assert found.sources is not None
    write_safetensors(folder / "model.safetensors", found.sources, found.fusions)
    model = build(made.generated)
    model.load_state_dict(load_file(folder / "model.safetensors"), strict=True)
    return model


def mixture(moe: Mapping[str, Any], weights: Mapping[str, Tensor], x_NI: Tensor) -> Tensor:
    """Token by token, expert by expert; shares as the form's router has them."""
    router = {"score": "softmax", "after_topk": "none", "renorm": False, **moe.get("router", {})}
    act = ACTIVATIONS[moe["expert"]["act"]]
    logits = functional.linear(x_NI, weights["y.router.weight"], weights.get("y.router.bias"))
    scores = logits.softmax(-1) if router["score"] == "softmax" else logits
    rows = []
    for x_I, score in zip(x_NI, scores, strict=True):
        chosen = score.argsort(descending=True)[: moe["top_k"]]
        share = score[chosen]
        if router["after_topk"] == "softmax":
            share = share.softmax(-1)
        if router["renorm"]:
            share = share / share.sum()
        y_I = torch.zeros_like(x_I)
        for s, j in zip(share, chosen.tolist(), strict=True):
            own = {
                name.removeprefix(f"y.experts.{j}."): tensor
                for name, tensor in weights.items()
                if name.startswith(f"y.experts.{j}.")
            }
            up = functional.linear(x_I, own["up.weight"], own.get("up.bias"))
            if "gate.weight" in own:
                gate = functional.linear(x_I, own["gate.weight"], own.get("gate.bias"))
            inner = act(gate) * up if "gate.weight" in own else act(up)
            y_I = y_I + s * functional.linear(inner, own["down.weight"], own.get("down.bias"))
        rows.append(y_I)
    return torch.stack(rows)
