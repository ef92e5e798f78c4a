"""The oracle: torch itself over fake tensors, every storage followed from its making to its end."""

import contextlib
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from compiler.backends.torch import Generated
from compiler.ir.size import as_poly, value
from compiler.ir.types import TensorType
from compiler.shadow.encoded import encoded
from compiler.verify.module import load_module

TORCH = nn.functional.scaled_dot_product_attention


class Storages(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's own
    """Bytes of storages that operations made and that somebody still has, now and at the most."""

    def __init__(self, ours: set[int]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's own
        self.ours, self.now, self.most = ours, 0, 0
        self.alive: dict[int, Any] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for each in tree_flatten(result)[0]:
            if isinstance(each, Tensor):
                self._follow(each.untyped_storage())
        self.most = max(self.most, self.now)
        return result

    def _follow(self, storage: Any) -> None:
        key = storage._cdata
        if key in self.ours or key in self.alive:
            return
        size = storage.nbytes()
        self.now += size

        def gone(_: Any) -> None:
            self.now -= size
            del self.alive[key]

        self.alive[key] = weakref.ref(storage, gone)


@dataclass(frozen=True)
class Measured:
    """Bytes, as `compiler.shadow.Held` has them as formulas."""

    saved: int
    peak: int
    training_peak: int


@contextlib.contextmanager
def running(
    made: Generated, dtype: torch.dtype, eager: bool, training: bool
) -> Iterator[nn.Module]:
    """A generated model over fake tensors; over real ones where rows are packed, whose sizes are
    numbers in tensors. A library may run recurrences and keep what it likes: here it must not."""
    packed = "pack_padded_sequence" in made.text
    fake = contextlib.nullcontext() if packed else FakeTensorMode(allow_non_fake_inputs=True)
    composed = torch.backends.mkldnn.flags(enabled=False)
    with fake, attention(eager), composed:
        torch.set_default_dtype(dtype)
        model: nn.Module = getattr(load_module(made.text, made.name), made.name)()
        torch.set_default_dtype(torch.float32)
        yield model.train(training)


def measured(
    made: Generated,
    inputs: dict[str, Any],
    dtype: torch.dtype,
    *,
    eager: bool = False,
    training: bool = False,
) -> Measured:
    """One forward of a generated module: `inputs` make its arguments."""
    with running(made, dtype, eager, training) as model:
        given = {name: make() for name, make in inputs.items()}
        ours = there(model, given)
        with Storages(ours) as full:
            result = model(**given)
        del result
        return Measured(_saved(model, given, ours), _peak(model, given, ours), full.most)


def peak(
    made: Generated, inputs: dict[str, Any], dtype: torch.dtype, *, eager: bool = False
) -> int:
    """The fullest moment of a decoder's step; what it takes of a source is there already."""
    with running(made, dtype, eager, training=False) as model:
        given = {name: make() for name, make in inputs.items()}
        decode: Any = getattr(model, "decode", None)
        if decode is None:
            return _peak(model, given, there(model, given))
        with torch.no_grad():
            given |= encoded(model, given)
        takes = signature(decode).parameters
        step = {name: x for name, x in given.items() if name in takes}
        return _peak(decode, step, there(model, given))


def there(model: nn.Module, given: dict[str, Any]) -> set[int]:
    tensors = [*model.parameters(), *model.buffers(), *tree_flatten(given)[0]]
    return {x.untyped_storage()._cdata for x in tensors if isinstance(x, Tensor)}


def _peak(run: Callable[..., Any], given: dict[str, Any], ours: set[int]) -> int:
    with torch.no_grad(), Storages(ours) as found:
        result = run(**given)
    del result
    return int(found.most)


def _saved(model: nn.Module, given: dict[str, Tensor], ours: set[int]) -> int:
    """What steps of the backward pass still hold behind a forward."""
    found: weakref.WeakSet[Kept] = weakref.WeakSet()

    def pack(x: Tensor) -> Kept:
        kept = Kept(x.detach())  # a result would hold its own step
        found.add(kept)
        return kept

    with saved_tensors_hooks(pack, lambda kept: kept.tensor):
        result = model(**given)
    storages = [kept.tensor.untyped_storage() for kept in found]
    sizes = {s._cdata: s.nbytes() for s in storages if s._cdata not in ours}
    del result
    return sum(sizes.values())


class Kept:
    """A tensor that a step of the backward pass holds."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


@contextlib.contextmanager
def attention(eager: bool) -> Iterator[None]:
    """Attention by the kernel that is asked for."""
    with mock.patch.object(
        nn.functional, "scaled_dot_product_attention", explicit if eager else kernel
    ):
        yield


def kernel(q: Tensor, k: Tensor, v: Tensor, **options: Any) -> Tensor:
    """torch's fused kernel. On a CPU it wants keys as wide as values, no dropout and no gradient
    for its bias; elsewhere it does not, so a stand-in keeps what it would keep."""
    mask = options.get("attn_mask")
    learned = mask is not None and mask.requires_grad
    if q.shape[-1] == v.shape[-1] and not learned and not options.get("dropout_p"):
        return TORCH(q, k, v, **options)
    if mask is not None and mask.dtype == torch.bool:
        mask = torch.where(
            mask, *(torch.scalar_tensor(x, dtype=q.dtype) for x in (0.0, -torch.inf))
        )
    result: Tensor = Kernel.apply(q, k, v, mask)  # type: ignore[no-untyped-call]  # torch's own
    return result


class Kernel(torch.autograd.Function):
    """What a fused kernel makes and keeps, without its numbers."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        B, H, T, _ = q.shape
        heads_inside = q.stride(1) < q.stride(2)
        shape = (B, T, H, v.shape[-1]) if heads_inside else (B, H, T, v.shape[-1])
        result = q.new_empty(shape)
        if heads_inside:
            result = result.transpose(1, 2)
        rows = q.new_empty(B, T, H, dtype=torch.float32)
        ctx.save_for_backward(q, k, v, result, rows, *([] if mask is None else [mask]))
        return result

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> Any:
        q, k, v, _, _, *masks = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        found = [_inside(x) if wanted[i] else None for i, x in enumerate((q, k, v, *masks))]
        return (*found, *([] if masks else [None]))


def _inside(x: Tensor) -> Tensor:
    """An empty gradient in which the heads of a position lie side by side."""
    B, H, T, K = x.shape
    return x.new_empty(B, T, H, K).transpose(1, 2)


def explicit(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Attention as textbooks write it."""
    if enable_gqa:
        group = q.shape[1] // k.shape[1]
        k = k.repeat_interleave(group, dim=1)
        v = v.repeat_interleave(group, dim=1)
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    scores = (q @ k.transpose(-2, -1)) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril()
    if attn_mask is not None:
        bools = attn_mask.dtype == torch.bool
        scores = scores.masked_fill(~attn_mask, -torch.inf) if bools else scores + attn_mask
    return nn.functional.dropout(scores.softmax(dim=-1), dropout_p, True) @ v


def inputs(
    found: dict[str, TensorType], lengths: dict[str, int], dtype: torch.dtype, held: int = 0
) -> dict[str, Any]:
    """Makers of a model's inputs by the names of its arguments: caches too where `held` says how
    many positions are in them."""
    kinds = {"int": torch.long, "bool": torch.bool, "float": dtype}

    def maker(kind: TensorType) -> Callable[[], Any]:
        if not kind.shape:
            return lambda: held
        shape = [value(as_poly(size), lengths) for size in kind.shape]
        return lambda: torch.ones(shape, dtype=kinds[kind.element])

    caches = ("float",) if held else ()
    return {
        name: maker(kind)
        for name, kind in found.items()
        if (kind.element in caches if kind.optional else bool(kind.shape) or held)
    }
