"""A mixture of experts: a router, and a feed-forward network an expert."""

from archspec.components.moe import Moe
from compiler.ir.graph import Value
from compiler.ir.size import Size
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.ops import Activation, Combine, Dispatch, Dropout, GroupedLinear, Multiply, Router


def moe(scope: Scope, component: Moe, x: Value, draws: Draws, dropout: float) -> Value:
    """The sum over the chosen experts of share times output (Shazeer et al. 2017, eq. 1)."""
    if len(scope.type(x).shape) != 3:
        scope.reject(
            "AR0407",
            "a mixture of experts reads a sequence of vectors",
            "there is no sequence here",
        )
    letters = scope.letters
    experts = letters.fixed("experts", component.experts, component.experts.said or "")
    active = letters.fixed("active", component.top_k, component.top_k.said or "")
    said = component.router
    router = Router(
        experts,
        active,
        bias=said.bias,
        softmax=said.score == "softmax",
        after_topk=said.after_topk == "softmax",
        renorm=said.renorm and said.after_topk == "none",
        balance=said.aux_loss.balance if said.aux_loss else 0.0,
        z_loss=said.aux_loss.z if said.aux_loss else 0.0,
        init=draws.inner(scope.width(x), component.experts),
    )
    share, expert = scope.ops("router", router, x)
    inner = scope.inside("experts", "experts", scope.span, f"{scope.where}.expert")
    entered = [
        inner.graph.enter(name, scope.type(value), scope.span)
        for name, value in (("x", x), ("share", share), ("expert", expert))
    ]
    mixed = _mixture(inner, component, entered, (experts, active), draws, dropout)
    inner.graph.outputs["y"] = mixed
    return scope.call("experts", inner, x, share, expert)


def _mixture(
    scope: Scope,
    component: Moe,
    given: list[Value],
    counts: tuple[Size, Size],
    draws: Draws,
    dropout: float,
) -> Value:
    """Tokens to their experts, `down(act(up x))` or its gated form by each, and back."""
    x, share, expert = given
    network, width = component.expert, scope.type(x).shape[-1]
    experts, active = counts
    hidden = scope.letters.fixed("hidden", network.hidden, network.hidden.said or "")
    rows, end, place = scope.ops("dispatch", Dispatch(experts), x, expert)
    drawn = draws.inner(scope.width(x), network.hidden)
    wide = GroupedLinear(experts, hidden, active, network.bias, drawn)
    if network.gated:
        gate = scope.op("gate", wide, rows, end)
        up = scope.op("up", wide, rows, end)
        inside = scope.op("mix", Multiply(), scope.op("act", Activation(network.act), gate), up)
    else:
        inside = scope.op("act", Activation(network.act), scope.op("up", wide, rows, end))
    if dropout:
        inside = scope.op("drop", Dropout(dropout), inside)
    back = draws.residual(network.hidden, scope.width(x))
    narrow = GroupedLinear(experts, width, active, network.bias, back)
    return scope.op("combine", Combine(), scope.op("down", narrow, inside, end), share, place)
