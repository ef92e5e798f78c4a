"""Bytes read and written are those of the tensors that torch's operators take and give when the
generated module runs."""

from collections import Counter
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from archspec.load import load
from archspec.model.spec import Spec
from compiler.ir.size import value
from compiler.passes.cost import cost
from tests.backends.torch.live import Live
from tests.passes.samples import LLAMA, lowered, named

ATEN = torch.ops.aten
KINDS: dict[Any, str] = {
    ATEN.mm.default: "linear",
    ATEN.addmm.default: "linear",
    ATEN.embedding.default: "embedding",
    ATEN.silu.default: "activation",
    ATEN.gelu.default: "activation",
    ATEN.native_layer_norm.default: "layer norm",
    ATEN._scaled_dot_product_flash_attention_for_cpu.default: "attention",
}
OURS = {
    "Linear": "linear",
    "SharedLinear": "linear",
    "Embedding": "embedding",
    "Activation": "activation",
    "LayerNorm": "layer norm",
    "ScaledDotProductAttention": "attention",
}


class Moved(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's own class
    """Elements of the floats that operators of some kinds take and give."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's own class
        self.read: Counter[str] = Counter()
        self.written: Counter[str] = Counter()
        self.statistics: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        kind = KINDS.get(func)
        if kind is not None:
            made = found if isinstance(found, tuple) else (found,)
            taken = [each for each in args if isinstance(each, Tensor) and each.is_floating_point()]
            if kind == "embedding":
                taken = [made[0]]  # of the table the rows that come out
            self.read[kind] += sum(each.numel() for each in taken)
            self.written[kind] += made[0].numel()
            self.statistics[kind] += made[1].numel() if kind == "attention" else 0
        return found


def samples() -> dict[str, Spec]:
    dims = {"vocab": 50, "d_model": 32, "n_layers": 2, "n_heads": 4}
    return {
        "llama": load(LLAMA, set={"groups": 4}),
        "gpt2": named("decoder/gpt2", **dims, max_len=16),
        "pythia": named("decoder/pythia-70m", **dims),
    }


@pytest.mark.parametrize("name", list(samples()))
def test_tensors_of_a_run(name: str) -> None:
    live = Live(lowered(samples()[name]))
    costs = cost(live.fused)
    at = {**costs.key.sizes, "B": 2, "T": 7, "S": 7}
    with torch.no_grad(), Moved() as run:
        live.model(torch.randint(0, 50, (2, 7)))
    read, written, statistics = (Counter[str]() for _ in range(3))
    for row in costs.rows:
        if kind := OURS.get(row.operator):
            moved = row.traffic
            read[kind] += value(moved.total("weights") + moved.total("read"), at)
            written[kind] += value(moved.total("written"), at)
            statistics[kind] += value(moved.total("statistics"), at)
    assert read == run.read
    assert written == run.written
    assert statistics == run.statistics
    assert {"linear", "attention", "embedding", "activation"} <= set(read)
