"""Repeated layers, their sub-layers and mixers, with every default filled in."""

from collections.abc import Mapping
from dataclasses import field

from archspec.components.component import Component
from archspec.components.norm import Norm
from archspec.model.dropout import DropoutRates
from archspec.model.init import Init
from archspec.source.frozen import Frozen
from archspec.source.number import Sized
from archspec.source.span import Span


class Mixer(Frozen):
    """What a sub-layer computes. `norm` is its own pre-norm under `parallel:`.

    `source` is the node or input that a cross-attention's keys come from, None for all else.
    """

    component: Component
    norm: Norm | None
    span: Span = field(compare=False)
    source: str | None = None


class SubLayer(Frozen):
    """One residual step `x ← post(a·x + s·g·out(f(pre(x))))`.

    `norm_at` ⊆ {pre, out, post}, empty exactly when `norm` is None; a = `skip_scale`, s =
    `branch_scale`, g a learned vector that starts at `layerscale`. `mixers` has one entry of the
    sub-layer's name, or those of `parallel:`, whose outputs are added. In training the branch is
    left out for a share `drop_path` of the rows.
    """

    name: str
    mixers: Mapping[str, Mixer]
    parallel: bool
    norm: Norm | None
    norm_at: frozenset[str]
    branch_scale: float
    skip_scale: float
    layerscale: float | None
    drop_path: float
    dropout: DropoutRates
    init: Init
    span: Span = field(compare=False)


class Layer(Frozen):
    """Sub-layers in order; `block` names the block it was made from, or is empty."""

    sublayers: Mapping[str, SubLayer]
    span: Span = field(compare=False)
    block: str = field(compare=False, default="")


class Stack(Frozen):
    """`repeat` layers; layer i is `variants[order[i]]`, equal layers share one variant.

    With `share` there is one set of weights for all layers, and one variant.
    """

    variants: tuple[Layer, ...]
    order: tuple[int, ...]
    share: bool
    repeat: Sized
    span: Span = field(compare=False)
