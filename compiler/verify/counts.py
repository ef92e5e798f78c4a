"""What the cost pass counts against what the generated module is and does, on the meta device."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from compiler.ops import GroupedLinear
from compiler.ops.grouped_linear import STEP
from compiler.passes.cost import cost
from compiler.passes.cost_lengths import lengths
from compiler.passes.metrics import METRICS, exact
from compiler.passes.setting import USUAL
from compiler.verify.compiled import Compiled
from compiler.verify.examples import LENGTHS, Example, example
from compiler.verify.module import build, call
from compiler.verify.verdict import Check, equal, failed, skipped

if TYPE_CHECKING:
    from torch import nn

PRODUCTS: Final = "matrix products"
PACKS: Final = re.compile(r"packed(_\d+)?")


def counts(made: Compiled) -> list[Check]:
    """Parameters and matrix FLOPs at full size; nothing is allocated."""
    import torch

    # Without gradients: the counter asks a view of a parameter for a function it has not.
    model = build(made.generated, device="meta").requires_grad_(False)
    costs = cost(made.program)
    at = lengths(made.program, costs, made.spec.inputs, {})
    if isinstance(at, tuple):
        return [failed("counts", at[0].message)]
    held = sum(parameter.numel() for parameter in model.parameters())
    wanted = exact(costs, METRICS["parameters"].formula(costs, USUAL), at)
    length = at.get(costs.target) or max(
        (at[n] for n, k in made.program.key.key.items() if k.role in ("source", "set") and n in at),
        default=LENGTHS[-1][1],
    )
    given = example(made.spec, made.program, at.get(costs.batch, 1), length, padded=False)
    unpack(model)
    flops = exact(
        costs,
        METRICS["matmul_flops"].formula(costs, USUAL),
        {**at, **{name: size for name, size in given.lengths.items() if name in at}},
    )
    on_meta = Example({n: v.to("meta") for n, v in given.values.items()}, given.lengths)
    said = ", ".join(f"{name} = {size}" for name, size in given.lengths.items() if name in at)
    weights = dict(model.named_parameters())
    sized = equal("parameters", held, wanted, "elements", "at full size")
    maps = [path for path, n, _ in made.fused.flat() if isinstance(n.what, GroupedLinear)]
    if any(size % STEP for path in maps for size in weights[f"{path}.weight"].shape[1:]):
        return [sized, skipped(PRODUCTS, f"torch groups maps with widths in steps of {STEP} only")]
    with torch.no_grad():
        counted = matmul_flops(model.to(torch.bfloat16) if maps else model, on_meta)
    return [sized, equal(PRODUCTS, counted, flops, "FLOP", f"at {said}" if said else "")]


def unpack(model: "nn.Module") -> None:
    """Let recurrences read rows as they are: all are real here, and packing would want numbers."""
    known = type(model).forward.__globals__
    for name in [name for name in known if PACKS.fullmatch(name)]:
        known[name] = lambda run, rows, real, start=None: run(rows, start)


def matmul_flops(model: "nn.Module", given: Example) -> int:
    """FLOPs of the matrix products that one forward dispatches, two for a multiply-add.

    Experts are counted by the rows that they are given. On the meta device torch groups products of
    bfloat16 alone; in float32 every expert takes all rows there.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    grouped = {torch.ops.aten._grouped_mm: _grouped_flops}
    counter: Any = FlopCounterMode(display=False, custom_mapping=grouped)
    with counter:
        call(model, given.values)
    return int(counter.get_total_flops())


def _grouped_flops(rows: Sequence[int], maps: Sequence[int], *_: Any, **__: Any) -> int:
    """[N, I] by [E, I, O]: every row takes one of the E maps."""
    return 2 * rows[0] * rows[1] * maps[2]
