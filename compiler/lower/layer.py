"""One layer of a stack: its residual steps, each a graph, and the mixers within them."""

from dataclasses import replace

from archspec.components.attention import Attention
from archspec.components.conv import Conv
from archspec.components.mlp import Mlp
from archspec.components.moe import Moe
from archspec.components.rnn import Rnn
from archspec.model.stack import Layer, Mixer, SubLayer
from compiler.ir.graph import Value
from compiler.ir.types import TensorType
from compiler.lower import rnn
from compiler.lower.attention import Around, attention
from compiler.lower.conv import conv
from compiler.lower.extension import extension
from compiler.lower.mlp import mlp
from compiler.lower.moe import moe
from compiler.lower.norm import norm
from compiler.lower.scope import Scope
from compiler.ops import Add, Dropout, DropPath, LayerScale, Scale


def layer(scope: Scope, found: Layer, x_type: TensorType, around: Around) -> None:
    """Fill `scope` with the residual steps of a layer; its input and output are `x`."""
    scope.reserved = frozenset(found.sublayers)
    x = scope.graph.enter(scope.fresh("x"), x_type, scope.span)
    for name, sub in found.sublayers.items():
        where = f"{scope.where}.{name}"
        inner = scope.inside(
            name, "" if sub.parallel else _word(next(iter(sub.mixers.values()))), sub.span, where
        )
        sublayer(inner, sub, x_type, around)
        x = scope.call(name, inner, x)
    scope.graph.outputs["x"] = x


def sublayer(scope: Scope, sub: SubLayer, x_type: TensorType, around: Around) -> None:
    """`x <- post(a x + s gamma out(f(pre(x))))`, the norms where `norm_at` has them."""
    scope.reserved = frozenset(sub.mixers) if sub.parallel else frozenset()
    around = replace(around, draws=around.draws.by(sub.init))
    x = scope.graph.enter(scope.fresh("x"), x_type, scope.span)
    h = x
    if sub.norm is not None and "pre" in sub.norm_at:
        h = norm(scope, "norm", sub.norm, h)
    if sub.parallel:
        y = _together(scope, sub, h, around)
    else:
        y = mixer(scope, next(iter(sub.mixers.values())), h, around, sub)
    if scope.letters.fix(scope.type(y).shape[-1]) != scope.letters.fix(x_type.shape[-1]):
        scope.reject(
            "AR0306",
            "a residual step ends in the width that it began with",
            f"{scope.width(x)} wide comes in, {scope.width(y)} wide comes out",
        )
    if sub.norm is not None and "out" in sub.norm_at:
        y = norm(scope, "out_norm", sub.norm, y)
    if sub.layerscale is not None:
        y = scope.op("layerscale", LayerScale(sub.layerscale), y)
    if sub.branch_scale != 1.0:
        y = scope.op("branch", Scale(sub.branch_scale), y)
    if sub.dropout.residual:
        y = scope.op("drop", Dropout(sub.dropout.residual), y)
    if sub.drop_path:
        y = scope.op("drop_path", DropPath(sub.drop_path), y)
    kept = x if sub.skip_scale == 1.0 else scope.op("skip", Scale(sub.skip_scale), x)
    y = scope.op("add", Add(), kept, y)
    if sub.norm is not None and "post" in sub.norm_at:
        y = norm(scope, "post_norm", sub.norm, y)
    scope.graph.outputs["x"] = y


def mixer(scope: Scope, found: Mixer, x: Value, around: Around, sub: SubLayer) -> Value:
    """The function within a residual step."""
    match found.component:
        case Attention() as component:
            return attention(scope, component, x, around, sub.dropout.attention)
        case Mlp() as component:
            return mlp(scope, component, x, around.draws, sub.dropout.hidden)
        case Moe() as component:
            return moe(scope, component, x, around.draws, sub.dropout.hidden)
        case Rnn() as component:
            return rnn.mixer(scope, component, x, around)
        case Conv() as component:
            return _filtered(scope, component, x, around)
        case component:
            return extension(scope, component, x, around)


def _filtered(scope: Scope, component: Conv, x: Value, around: Around) -> Value:
    """A convolution within a residual step, which keeps the places."""
    batch, places = scope.type(x).shape[:2]
    real = scope.real(around.stream, batch, places)
    y, _ = conv(scope, "conv", component, x, around.draws, real)
    if scope.type(y).shape[1] != scope.type(x).shape[1]:
        scope.reject(
            "AR0306",
            "a residual step ends with the positions that it began with",
            "this convolution changes how many there are",
            "keep `stride: 1` and `pad: same`",
        )
    return y


def _together(scope: Scope, sub: SubLayer, h: Value, around: Around) -> Value:
    branches: list[Value] = []
    for name, found in sub.mixers.items():
        inner = scope.inside(name, _word(found), found.span, f"{scope.where}.{name}")
        x = inner.graph.enter("x", scope.type(h), found.span)
        normed = x if found.norm is None else norm(inner, "norm", found.norm, x)
        inner.graph.outputs["y"] = mixer(inner, found, normed, around, sub)
        branches.append(scope.call(name, inner, h))
    y = branches[0]
    for index, branch in enumerate(branches[1:], 1):
        y = scope.op("sum" if index == 1 else f"sum_{index}", Add(), y, branch)
    return y


def _word(found: Mixer) -> str:
    return found.component.word
