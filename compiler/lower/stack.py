"""A stack: its layer variants as graphs, its order as repeats of them."""

from collections.abc import Iterator, Sequence

from archspec.model.stack import Stack
from archspec.source.frozen import Frozen
from compiler.ir.graph import Repeat, Value
from compiler.lower.attention import Around
from compiler.lower.layer import layer
from compiler.lower.scope import Need, Scope


class Run(Frozen):
    """`times` rounds of the variants `cycle`, from layer `start` on."""

    cycle: tuple[int, ...]
    times: int
    start: int


def runs(order: Sequence[int]) -> Iterator[Run]:
    """Fold an order of layers into as few rounds of cycles as a reader would."""
    at = 0
    while at < len(order):
        longest = Run((order[at],), 1, at)
        for period in range(1, min(64, (len(order) - at) // 2) + 1):
            times = _rounds(order, at, period)
            if times > 1 and times * period > longest.times * len(longest.cycle):
                longest = Run(tuple(order[at : at + period]), times, at)
        yield longest
        at += longest.times * len(longest.cycle)


def stack_variants(scope: Scope, name: str, stack: Stack, x: Value, around: Around) -> list[Scope]:
    """One graph a variant of the stack's layers."""
    made: list[Scope] = []
    for index, variant in enumerate(stack.variants):
        suffix = "layer" if index == 0 else f"layer_{index + 1}"
        inner = scope.inside(
            f"{name}.{suffix}", variant.block or "block", variant.span, _where(name, index)
        )
        inner.repeated = stack.share and stack.repeat > 1
        layer(inner, variant, scope.type(x), around)
        made.append(inner)
    return made


def repeat_of(run: Run, bodies: Sequence[Scope], share: bool) -> tuple[Repeat, list[Need]]:
    """The repeat of a run and the needs that are its inputs after the carried one."""
    needs = list(dict.fromkeys(need for body in bodies for need in body.needs.values()))
    wires = tuple((0, *(1 + needs.index(need) for need in body.needs.values())) for body in bodies)
    sliced = tuple(1 + i for i, need in enumerate(needs) if need.kind == "kv")
    names = tuple(body.graph.name for body in bodies)
    return Repeat(names, run.times, wires, run.start, sliced, share), needs


def _where(name: str, variant: int) -> str:
    return f"{name}.layer[{variant}]" if variant else f"{name}.layer"


def _rounds(order: Sequence[int], at: int, period: int) -> int:
    times = 1
    while order[at + times * period : at + (times + 1) * period] == order[at : at + period]:
        times += 1
    return times
