"""What position biases take: matrices that torch writes whatever the kernel, counted as written."""

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import archspec
from compiler.report.numbers import memory
from tests.backends.torch.live import live
from tests.lower.specs import MLP, PRE, Tree, model
from tests.passes.samples import counted, named
from tests.report.reports import report

HEADS, LENGTH, BATCH = 4, 19, 3


class Written(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's own class
    """Counts the elements of every floating result [N, H, T, T] that no view gives."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's own method
        self.seen: dict[int, torch.Tensor] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        if isinstance(found, torch.Tensor) and found.is_floating_point():
            shape = tuple(found.shape[-3:])
            if shape == (HEADS, LENGTH, LENGTH) and found.dtype == torch.float64:
                self.seen.setdefault(found.untyped_storage().data_ptr(), found)
        return found

    @property
    def elements(self) -> int:
        return sum(each.untyped_storage().nbytes() // 8 for each in self.seen.values())


def encoder(bias: Tree, padded: bool) -> Tree:
    layer = {"attn": {"attention": {"heads": HEADS, "position_bias": bias}}, "mlp": MLP}
    graph: Tree = {
        "tok": {"embed": {"vocab": 50, "dim": 16}, "in": "ids"},
        "h": {"stack": {"repeat": 3, "layer": layer}},
    }
    return model(graph, {"ids": {"tokens": {"padded": padded}}}, defaults=PRE)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("per", ["stack", "layer"])
def test_biases_are_counted_as_torch_writes_them(per: str, padded: bool) -> None:
    """Once for a stack that shares them, else for each layer; once more where something is
    hidden."""
    spec = encoder({"t5": {"buckets": 8, "max_distance": 20, "per": per}}, padded)
    found = live(spec)
    given = found.inputs(BATCH, LENGTH)
    found.model  # noqa: B018  # made before what is counted
    with Written() as written:
        found.found(given)
    _, totals = counted(archspec.load(spec), B=BATCH, T=LENGTH)
    assert totals["attention_bias_bytes"] == 2 * written.elements > 0


def test_the_report_says_what_biases_take_where_there_are_some() -> None:
    """T5 small: a bias and a mask for each stack, 8 heads by 512 by 512 in bf16."""
    _, totals = counted(named("encoder-decoder/t5-small"))
    assert totals["attention_bias_bytes"] == 4 * 8 * 512 * 512 * 2
    said = f"position bias **{memory(16 << 20)}**"
    assert said in report("encoder-decoder/t5-small").markdown()
    assert "attention_bias_bytes" not in report("decoder/gpt2").markdown()
