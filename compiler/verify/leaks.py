"""Masks hold: no gradient passes from a place to another where a mask stands between them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.model.spec import Node, Spec
from archspec.model.stack import Layer, Stack
from compiler.lower.inputs import origins
from compiler.verify.compiled import Compiled
from compiler.verify.examples import example
from compiler.verify.module import call
from compiler.verify.verdict import Check, at_most, skipped

if TYPE_CHECKING:
    from torch import Tensor, nn

LEAKS: Final = "no gradient passes a mask"
BATCH, LENGTH = 2, 9


def leaks(made: Compiled, model: "nn.Module") -> Check:
    """Which places reach which, worked out from the spec pair by pair, against autograd."""
    import torch

    spec, origin = made.spec, origins(made.spec)
    given = example(spec, made.program, BATCH, LENGTH).values
    worst, asked = 0.0, 0
    reach = Reach(spec, given, origin)
    for index, name in enumerate(spec.outputs):
        found = reach.of(name)
        if found is None or bool(found.all()):
            continue
        base = _base(spec, origin[name])
        if base not in given and not hasattr(model, base):
            continue
        draw = torch.Generator().manual_seed(index)
        output, places = _run(model, given, base, index)
        probe = torch.randn(output.shape[-1], generator=draw)
        for t in range(output.shape[1]):
            (slope,) = torch.autograd.grad((output[:, t] @ probe).sum(), places, retain_graph=True)
            masked = slope[~found[:, t]].abs()
            worst = max(worst, float(masked.max()) if masked.numel() else 0.0)
        asked += int((~found).sum())
    if not asked:
        return skipped(LEAKS, "no mask keeps places of the outputs apart")
    return at_most(LEAKS, worst, 0.0, f"{asked} pairs")


def _base(spec: Spec, name: str) -> str:
    """What has a gradient at the head of a path: an input of vectors, or what embeds its tokens."""
    if spec.inputs[name].kind != "tokens":
        return name
    return next(n for n, node in spec.graph.items() if node.inputs[:1] == (name,))


def _run(
    model: "nn.Module", given: "Mapping[str, Tensor]", base: str, index: int
) -> "tuple[Tensor, Tensor]":
    """An output, and the values at the head of its path that gradients are taken by."""
    values, caught = dict(given), list["Tensor"]()
    if base in values:
        values[base] = values[base].clone().requires_grad_()
        return call(model, values)[index], values[base]

    def keep(module: "nn.Module", arguments: Any, result: "Tensor") -> "Tensor":
        del module, arguments
        caught.append(result.detach().requires_grad_())
        return caught[-1]

    handle = model.get_submodule(base).register_forward_hook(keep)
    try:
        found = call(model, values)[index]
    finally:
        handle.remove()
    return found, caught[0]


class Reach:
    """For each node [B, T, S]: whether place t of it depends on place s of its path's head."""

    def __init__(
        self, spec: Spec, given: "Mapping[str, Tensor]", origin: Mapping[str, str]
    ) -> None:
        self.spec, self.given, self.origin = spec, given, origin

    def of(self, name: str) -> "Tensor | None":
        """None where a component mixes places in another way than attention."""
        import torch

        if name in self.spec.inputs:
            if name not in self.given or self.given[name].dim() not in (2, 3):
                return None
            shape = self.given[name].shape
            return torch.eye(shape[1], dtype=torch.bool).expand(shape[0], -1, -1)
        node = self.spec.graph[name]
        before = self.of(node.inputs[0]) if len(node.inputs) == 1 else None
        return None if before is None else self._after(node, before)

    def _after(self, node: Node, before: "Tensor") -> "Tensor | None":
        if isinstance(node.component, Stack):
            for number in node.component.order:
                layer = self._layer(node, node.component.variants[number], before)
                if layer is None:
                    return None
                before = layer
            return before
        return self._mixed(node, node.component, before)

    def _layer(self, node: Node, layer: Layer, before: "Tensor") -> "Tensor | None":
        for sub in layer.sublayers.values():
            mixed = [self._mixed(node, m.component, before) for m in sub.mixers.values()]
            for each in mixed:
                if each is None:
                    return None
                before = before | each
        return before

    def _mixed(self, node: Node, part: Component, before: "Tensor") -> "Tensor | None":
        import torch

        if part.positionwise:
            return before
        if not isinstance(part, Attention):
            return None
        head = self.origin[node.name]
        if part.source != "self":
            return before if self.origin[part.source] != head else None
        seen = visible(part, head, self.given, before.shape[0], before.shape[1])
        step = seen | torch.eye(seen.shape[-1], dtype=torch.bool)
        return (step.float() @ before.float()) > 0


def visible(
    part: Attention, head: str, given: "Mapping[str, Tensor]", batch: int, length: int
) -> "Tensor":
    """[B, T, T]: who sees whom, by the words of the language, one pair after the other."""
    import torch

    real, documents = given.get(f"{head}_mask"), given.get(f"{head}_segments")
    documents = documents if part.segments else None
    seen = torch.ones(batch, length, length, dtype=torch.bool)
    for b in range(batch):
        places = _places(documents[b].tolist() if documents is not None else [0] * length)
        for t in range(length):
            for s in range(length):
                far = t - s if part.mask == "causal" else abs(t - s) - 1
                near = (
                    (part.mask != "causal" or s <= t)
                    and (part.window is None or far < part.window)
                    and (part.chunk is None or places[t] // part.chunk == places[s] // part.chunk)
                )
                seen[b, t, s] = (
                    (near or (part.prefix is not None and s < int(given[part.prefix][b])))
                    and (documents is None or bool(documents[b, t] == documents[b, s]))
                    and (real is None or bool(real[b, s]))
                    and (part.mask_edge is None or bool(given[part.mask_edge][b, t, s]))
                )
    return seen


def _places(documents: list[int]) -> list[int]:
    """Counted anew from the first of each run of equal numbers."""
    found: list[int] = []
    for i, mark in enumerate(documents):
        found.append(found[-1] + 1 if i and mark == documents[i - 1] else 0)
    return found
