"""The oracle of a training step: torch's forward, loss and backward over fake tensors."""

from itertools import accumulate
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import checkpoint

from compiler.backends.torch import Generated
from compiler.verify.module import load_module
from tests.shadow.storages import Storages, running, there

F = nn.functional


def step_peak(
    made: Generated,
    inputs: dict[str, Any],
    dtype: torch.dtype,
    *,
    classes: bool,
    eager: bool = False,
    forgets: bool = False,
) -> int:
    """The most that is there at once in a forward, a mean loss and its backward pass; layers are
    computed again where it forgets them. Modules are not in training mode: nothing drops out."""
    with running(made, dtype, eager, training=False) as model:
        given = {name: make() for name, make in inputs.items()}
        with torch.no_grad():
            target = _target(_first(model(**given)), classes)
        ours = there(model, {**given, "target of the loss": target})
        layers = mock.patch.object(nn.ModuleList, "__iter__", _again if forgets else _plainly)
        with layers, Storages(ours) as found:
            loss = _loss(_first(model(**given)), target, classes)
            loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        return int(found.most)


def allocated(
    made: Generated, inputs: dict[str, Any], *, classes: bool = True, before: int = 0
) -> int:
    """The same as torch's allocator sees it, nobody watching its operations: float32; `before`
    steps have left gradients."""
    model: nn.Module = getattr(load_module(made.text, made.name), made.name)().eval()
    given = {name: make() for name, make in inputs.items()}
    with torch.no_grad():
        target = _target(_first(model(**given)), classes)
    for _ in range(before):
        _loss(_first(model(**given)), target, classes).backward()  # type: ignore[no-untyped-call]
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
        loss = _loss(_first(model(**given)), target, classes)
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
    events = found.profiler.kineto_results.events()
    changes = [
        (e.start_ns(), i, e.nbytes()) for i, e in enumerate(events) if e.name() == "[memory]"
    ]
    return int(max(accumulate(size for _, _, size in sorted(changes))))


def _loss(y: Tensor, target: Tensor, classes: bool) -> Tensor:
    return F.cross_entropy(y.flatten(0, -2), target) if classes else F.mse_loss(y, target)


def _first(result: Any) -> Tensor:
    first: Tensor = result[0] if isinstance(result, tuple) else result
    return first


def _target(y: Tensor, classes: bool) -> Tensor:
    if classes:
        return torch.zeros(y.shape[:-1].numel(), dtype=torch.long)
    return torch.zeros_like(y)


def _plainly(layers: nn.ModuleList) -> Any:
    return iter(layers._modules.values())


def _again(layers: nn.ModuleList) -> Any:
    """Layers of which a forward keeps nothing but what enters them."""
    return map(Forgetful, layers._modules.values())


class Forgetful:
    """A layer that computes its forward again."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __call__(self, *given: Any) -> Any:
        return checkpoint(self.layer, *given, use_reentrant=False, preserve_rng_state=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.layer, name)
