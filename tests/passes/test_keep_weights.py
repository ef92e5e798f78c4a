"""`attend.py` against `model.py`: the same outputs, and weights that explain its own kernel's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from compiler.backends.torch import Facts, torch_source
from compiler.passes.keep_weights import attends, keep_weights
from compiler.passes.shapes import shapes
from compiler.verify.compiled import Compiled
from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.parity.ours import spec

SMALL = {"d_model": 32, "n_layers": 2, "d_ff": 24, "n_heads": 4}
SPECS: dict[str, dict[str, Any]] = {
    "decoder/gpt2.yaml": {**SMALL, "vocab": 50},
    "decoder/llama3-8b.yaml": {**SMALL, "vocab": 50, "n_kv_heads": 2},
    "decoder/deepseek-v2-lite.yaml": {
        **SMALL,
        "vocab": 50,
        "d_kv_rank": 10,
        "d_nope": 6,
        "d_rope": 4,
        "d_value": 5,
        "n_experts": 4,
        "top_k": 2,
        "d_expert": 8,
    },
    "encoder/bert-base.yaml": {**SMALL, "vocab": 50},
    "encoder-decoder/transformer-base.yaml": {**SMALL, "vocab": 37},
    "history/04-dot-product-attention.yaml": {},
    "history/05-attention-layer.yaml": {},
    "history/08-masks-given.yaml": {},
    "history/08-masks-segments.yaml": {},
    "history/08-masks-window.yaml": {},
    "history/09-multi-head.yaml": {},
    "vision/vit-b16-cls.yaml": {**SMALL, "image": 32},
}
FACTS = Facts("0", "", "", "", "")
RECURRENT = ("02-bahdanau-zeros", "03-luong-dot", "03-luong-general", "03-luong-scaled")


class Watched:
    """`torch.nn.functional` that writes down what attention is given and gives."""

    def __init__(self) -> None:
        self.seen: list[tuple[Tensor, Tensor, Tensor]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(functional, name)

    def scaled_dot_product_attention(
        self, q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None = None, **options: Any
    ) -> Tensor:
        found = functional.scaled_dot_product_attention(q, k, v, attn_mask, **options)
        allowed = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool)
        if options.get("is_causal"):
            allowed = allowed.tril()
        if attn_mask is not None:
            allowed = attn_mask
        shape = (*q.shape[:3], k.shape[-2])
        values = v.repeat_interleave(q.shape[1] // v.shape[1], dim=1)
        self.seen.append((allowed.expand(shape), values, found))
        return found


def both(made: Compiled) -> tuple[nn.Module, nn.Module]:
    """`model.py` and `attend.py` with the same weights."""
    plain = build(made.generated)
    program = shapes(keep_weights(made.fused))
    kept = build(torch_source(program, FACTS))
    kept.load_state_dict(plain.state_dict(), strict=True)
    return plain, kept


def weights(model: nn.Module) -> list[Tensor]:
    return [each for m in model.modules() for each in getattr(m, "kept", [])]


def hide_row(values: dict[str, Tensor]) -> None:
    """Where a spec takes a mask of pairs, its second query sees nothing."""
    if "allowed" in values:
        values["allowed"][:, 1] = False


def watch(model: nn.Module, run: Callable[[], Any]) -> tuple[Any, Watched]:
    """What a run gives, and what its attention did meanwhile."""
    watched = Watched()
    type(model).forward.__globals__["F"] = watched
    return run(), watched


@pytest.mark.parametrize("name", SPECS)
def test_weights_are_those_of_the_models_own_attention(name: str) -> None:
    made = spec(name, **SPECS[name])
    plain, kept = both(made)
    values = dict(example(made.spec, made.program, 2, 9).values)
    hide_row(values)
    with torch.no_grad():
        wanted, watched = watch(plain, lambda: call(plain, values))
        found = call(kept, values)
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
    held = weights(kept)
    assert len(held) == len(watched.seen) > 0
    for mine, (allowed, value, mixed) in zip(held, watched.seen, strict=True):
        assert mine.min() >= 0
        assert not mine[~allowed].any(), "a hidden source has weight"
        torch.testing.assert_close(mine.sum(dim=-1), allowed.any(dim=-1).float())
        torch.testing.assert_close(mine @ value, mixed, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", RECURRENT)
def test_recurrent_weights_add_up_and_leave_padding_alone(name: str) -> None:
    sizes = {"d_att": 8} if "bahdanau" in name else {"n_layers": 2}
    made = spec(f"history/{name}.yaml", src_vocab=30, tgt_vocab=30, d_emb=8, d_h=8, **sizes)
    plain, kept = both(made)
    values = example(made.spec, made.program, 3, 7).values
    with torch.no_grad():
        wanted, found = call(plain, values), call(kept, values)
    torch.testing.assert_close(found, wanted, atol=1e-6, rtol=1e-6)
    real = values["src_ids_mask"]
    assert not real.all()
    held = weights(kept)
    assert len(held) == values["tgt_ids"].shape[1]
    for step in held:
        assert not step[~real].any()
        torch.testing.assert_close(step.sum(dim=-1), torch.ones(3))


def test_a_model_without_attention_has_nothing_to_keep() -> None:
    made = spec("history/01-seq2seq.yaml")
    assert not attends(made.program)
    assert attends(spec("decoder/gpt2.yaml").program)


def test_the_graph_differs_in_the_operators_alone() -> None:
    made = spec("encoder-decoder/transformer-base.yaml")
    before, after = made.fused, keep_weights(made.fused)
    assert after.parameters() == before.parameters()
    for name, graph in before.graphs.items():
        for a, b in zip(graph, after.graphs[name], strict=True):
            more = b.inputs[len(a.inputs) :]
            assert not any(more)
            assert a == replace(b, what=a.what, inputs=b.inputs[: len(a.inputs)])
