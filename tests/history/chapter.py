"""Specs of the chapter as running models, their ONNX twins, and gradients from place to place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn

import archspec
from archspec.model.spec import Spec
from compiler.verify import verify
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.difference import apart
from compiler.verify.examples import Example
from compiler.verify.module import build, call
from compiler.verify.parity import onnx_session, run

SPECS = Path(__file__).parents[2] / "specs" / "history"


@dataclass(frozen=True)
class Page:
    """One spec of the chapter, compiled, with weights that make every part count."""

    made: Compiled

    @cached_property
    def model(self) -> nn.Module:
        """The generated module."""
        return build(self.made.generated)

    @cached_property
    def weights(self) -> dict[str, Tensor]:
        """Its weights in double precision, by name."""
        return {name: found.double() for name, found in self.model.state_dict().items()}

    def torch(self, **values: Tensor) -> tuple[Tensor, ...]:
        """The outputs of the generated module."""
        with torch.no_grad():
            return call(self.model, values)

    def onnx(self, **values: Tensor) -> tuple[Tensor, ...]:
        """The outputs of ONNX Runtime."""
        with TemporaryDirectory() as folder:
            return run(onnx_session(self.made.files, self.model, Path(folder)), Example(values, {}))

    def both(self, **values: Tensor) -> tuple[Tensor, ...]:
        """The outputs of torch, after ONNX Runtime has been held against them."""
        found = self.torch(**values)
        assert apart(self.onnx(**values), found) <= 1e-5
        return found

    def status(self) -> dict[str, bool | None]:
        """What `verify` says of each claim."""
        return {check.name: check.ok for check in verify(self.made.spec).checks}


def page(name: str, *patches: str) -> Page:
    """A spec by the name of its file, with patches as `--set` takes them."""
    return of(archspec.load(SPECS / f"{name}.yaml", set=patches))


def of(spec: Spec | Mapping[str, Any]) -> Page:
    """A spec, or a mapping that is one."""
    made = compiled(spec if isinstance(spec, Spec) else archspec.load(dict(spec)))
    assert isinstance(made, Compiled), made
    return Page(made)


def normal(*shape: int, seed: int = 0) -> Tensor:
    """Seeded numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def softmax_mixture(q: Tensor, k: Tensor, v: Tensor, scale: float, seen: Tensor) -> Tensor:
    """[B, T, D] queries over [B, S, D] keys, one query at a time, in double precision."""
    rows = []
    for b, t in torch.cartesian_prod(torch.arange(q.shape[0]), torch.arange(q.shape[1])).tolist():
        there = seen.expand(q.shape[0], q.shape[1], k.shape[1])[b, t]
        shares = torch.exp(scale * k[b, there].double() @ q[b, t].double())
        rows.append((shares @ v[b, there].double()) / shares.sum().clamp(min=1e-300))
    return torch.stack(rows).view(q.shape[0], q.shape[1], v.shape[2])


def multi_head(
    q: Tensor, k: Tensor, v: Tensor, heads: int, seen: Tensor, scale: float | None = None
) -> Tensor:
    """Heads one by one over slices of the widths, side by side."""
    size = q.shape[-1] // heads
    split = (x.chunk(heads, dim=-1) for x in (q, k, v))
    mixed = [
        softmax_mixture(one, key, value, scale or size**-0.5, seen)
        for one, key, value in zip(*split, strict=True)
    ]
    return torch.cat(mixed, dim=-1)


def reached(model: nn.Module, values: Mapping[str, Tensor], path: str, output: int = 0) -> Tensor:
    """[T, S]: whether the gradient of output place t by place s of `path` is anything but zero.

    `path` is an input of floats, or the submodule whose result has the places.
    """
    inputs, caught = dict(values), list[Tensor]()
    if path in inputs:
        inputs[path] = inputs[path].clone().requires_grad_()
        caught.append(inputs[path])
        found = call(model, inputs)[output]
    else:

        def keep(module: nn.Module, arguments: Any, result: Tensor) -> Tensor:
            caught.append(result.detach().requires_grad_())
            return caught[0]

        handle = model.get_submodule(path).register_forward_hook(keep)
        found = call(model, inputs)[output]
        handle.remove()
    rows = []
    for t in range(found.shape[1]):
        (gradient,) = torch.autograd.grad(found[:, t].sum(), caught[0], retain_graph=True)
        rows.append((gradient != 0).any(dim=-1))
    return torch.stack(rows, dim=1)


def mask(length: int, rule: Any) -> Tensor:
    """[T, S] of a rule on (t, s), pair by pair."""
    return torch.tensor([[bool(rule(t, s)) for s in range(length)] for t in range(length)])


def composed(masks: Sequence[Tensor]) -> Tensor:
    """Which places reach which through layers, each with a path around it."""
    reach = torch.eye(masks[0].shape[-1], dtype=torch.bool).expand(masks[0].shape)
    for each in masks:
        step = each | torch.eye(each.shape[-1], dtype=torch.bool)
        reach = (step.double() @ reach.double()) > 0
    return reach
