"""Matrix products that torch runs forward and backward, counted as its own counter does."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from compiler.verify.examples import Example
from compiler.verify.module import call

ATEN = torch.ops.aten


def grouped(rows: Any, maps: Any, *_: Any, **__: Any) -> int:
    """Rows [N, I] by [E, I, O], each by one of them; or [O, N] by [N, I], in E pieces of N."""
    return 2 * int(rows.shape[0] * rows.shape[1] * maps.shape[-1])


def attended(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
    """Two products a pair: scores and mixture."""
    B, H, T, K = q.shape
    return 2 * int(B * H * T * k.shape[2] * (K + v.shape[3]))


def attended_backward(_: Any, q: Any, k: Any, v: Any, *__: Any, **___: Any) -> int:
    """Five products a pair (Dao et al. 2022, algorithm 4): scores, dQ and dK; dP and dV."""
    B, H, T, K = q.shape
    return 2 * int(B * H * T * k.shape[2] * (3 * K + 2 * v.shape[3]))


OURS: Mapping[Any, Callable[..., int]] = {
    ATEN._grouped_mm: grouped,
    ATEN._scaled_dot_product_flash_attention_for_cpu: attended,
    ATEN._scaled_dot_product_flash_attention_for_cpu_backward: attended_backward,
}
"""What torch's registry has no formula for."""
FUSED = {
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
}


class Products(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Adds up the products of everything that is dispatched."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.flops = 0
        self.names: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        found = func(*args, **(kwargs or {}))
        packet = func._overloadpacket
        if packet in OURS:
            self.flops += OURS[packet](*args, **(kwargs or {}))
            self.names.add(str(packet).removeprefix("aten."))
        elif packet in flop_registry:
            self.flops += int(flop_registry[packet](*args, **(kwargs or {}), out_val=found))
        return found


def step(model: torch.nn.Module, given: Example) -> tuple[int, int, set[str]]:
    """FLOPs of the products forward and backward, and which kernels of `OURS` ran."""
    with Products() as forward:
        outputs = call(model, given.values)
    loss = sum((each.float().sum() for each in outputs), torch.zeros((), device=outputs[0].device))
    with Products() as backward:
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
    return forward.flops, backward.flops, forward.names | backward.names
