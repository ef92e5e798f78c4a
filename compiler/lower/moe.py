"""A mixture of experts: a router, a network an expert, and one that every token passes."""

from dataclasses import replace

from archspec.components.moe import Moe
from archspec.components.router import Router as Written
from archspec.components.shared import Shared
from compiler.ir.graph import Value
from compiler.ir.init import Init
from compiler.ir.size import Size
from compiler.lower.draws import Draws
from compiler.lower.mlp import inside, mlp
from compiler.lower.scope import Scope
from compiler.ops import Add, Combine, Dispatch, GroupedLinear, Linear, Router, TokenGate
from compiler.ops.router import Groups, Training


def moe(scope: Scope, component: Moe, x: Value, draws: Draws, dropout: float) -> Value:
    """The sum over the chosen experts of share times output (Shazeer et al. 2017, eq. 1), plus what
    the shared network makes of the token (Dai et al. 2024, eq. 9)."""
    if len(scope.type(x).shape) != 3:
        scope.reject(
            "AR0407",
            "a mixture of experts reads a sequence of vectors",
            "there is no sequence here",
        )
    letters = scope.letters
    experts = letters.fixed("experts", component.experts, component.experts.said or "")
    active = letters.fixed("active", component.top_k, component.top_k.said or "")
    drawn = draws.inner(scope.width(x), component.experts)
    found = router(component.router, experts, active, scope.repeated, drawn)
    share, expert = scope.ops("router", found, x)
    inner = scope.inside("experts", "experts", scope.span, f"{scope.where}.expert")
    entered = [
        inner.graph.enter(name, scope.type(value), scope.span)
        for name, value in (("x", x), ("share", share), ("expert", expert))
    ]
    mixed = _mixture(inner, component, entered, (experts, active), draws, dropout)
    inner.graph.outputs["y"] = mixed
    y = scope.call("experts", inner, x, share, expert)
    if component.shared is None:
        return y
    return scope.op("sum", Add(), y, _shared(scope, component.shared, x, draws, dropout))


def router(
    said: Written, experts: Size, active: Size, repeated: bool, drawn: Init | None
) -> Router:
    """The router of a mixture; shares of a softmax over the chosen add up to one as they are."""
    groups = None
    if said.groups is not None and said.top_groups is not None:
        groups = Groups(said.groups, said.top_groups, said.group_score == "top2")
    losses = said.aux_loss
    training = Training(
        balance=losses.balance if losses else 0.0,
        z_loss=losses.z if losses else 0.0,
        jitter=said.jitter,
        capacity=said.capacity or 0.0,
    )
    if training.losses and repeated:
        training = replace(training, repeated=True)
    return Router(
        experts,
        active,
        bias=said.bias,
        score=None if said.score == "none" else said.score,
        after_topk=None if said.after_topk == "none" else said.after_topk,
        renorm=said.renorm and (said.after_topk != "softmax" or bool(said.renorm_eps)),
        renorm_eps=said.renorm_eps,
        scale=None if said.scale == 1.0 else said.scale,
        correction=said.correction,
        groups=groups,
        training=training if training != Training() else None,
        init=drawn,
    )


def _mixture(
    scope: Scope,
    component: Moe,
    given: list[Value],
    counts: tuple[Size, Size],
    draws: Draws,
    dropout: float,
) -> Value:
    """Tokens to their experts, each a network of its own, and back."""
    x, share, expert = given
    network, width = component.expert, scope.type(x).shape[-1]
    before = component.router.weigh == "input"
    experts, active = counts
    hidden = scope.letters.fixed("hidden", network.hidden, network.hidden.said or "")
    rows, end, place = scope.ops(
        "dispatch", Dispatch(experts), x, expert, share if before else None
    )
    drawn = draws.inner(scope.width(x), network.hidden)
    wide = GroupedLinear(experts, hidden, active, network.bias, drawn)
    y = inside(scope, network, lambda name: scope.op(name, wide, rows, end), dropout)
    back = draws.residual(network.hidden, scope.width(x))
    narrow = GroupedLinear(experts, width, active, network.bias, back)
    y = scope.op("down", narrow, y, end)
    return scope.op("combine", Combine(), y, None if before else share, place)


def _shared(scope: Scope, component: Shared, x: Value, draws: Draws, dropout: float) -> Value:
    """The network of every token, by a sigmoid of the token where it has a gate."""
    inner = scope.inside("shared", "shared", scope.span, f"{scope.where}.shared")
    entered = inner.graph.enter("x", scope.type(x), scope.span)
    y = mlp(inner, component, entered, draws, dropout)
    if component.token_gate:
        gate = inner.op("token_gate", Linear(1, init=draws.inner(scope.width(x), 1)), entered)
        y = inner.op("gated", TokenGate(), gate, y)
    inner.graph.outputs["y"] = y
    return scope.call("shared", inner, x)
