"""What the cost pass counts against what the generated module is and does, on the meta device."""

from typing import TYPE_CHECKING, Any

from compiler.passes.cost import cost
from compiler.passes.cost_lengths import lengths
from compiler.passes.cost_totals import METRICS, exact
from compiler.verify.compiled import Compiled
from compiler.verify.examples import Example, example
from compiler.verify.module import build, call
from compiler.verify.verdict import Check, equal, failed

if TYPE_CHECKING:
    from torch import nn


def counts(made: Compiled) -> list[Check]:
    """Parameters and matrix FLOPs at full size; nothing is allocated."""
    import torch

    model = build(made.generated, device="meta")
    costs = cost(made.program)
    at = lengths(made.program, costs, made.spec.inputs, {})
    if isinstance(at, tuple):
        return [failed("counts", at[0].message)]
    held = sum(parameter.numel() for parameter in model.parameters())
    wanted = exact(costs, METRICS["parameters"].formula(costs, "fp32"), at)
    length = at.get(costs.target, 1)
    given = example(made.spec, made.program, at.get(costs.batch, 1), length)
    flops = exact(
        costs,
        METRICS["matmul_flops"].formula(costs, "fp32"),
        {**at, **{name: size for name, size in given.lengths.items() if name in at}},
    )
    on_meta = Example({n: v.to("meta") for n, v in given.values.items()}, given.lengths)
    with torch.no_grad():
        counted = matmul_flops(model, on_meta)
    said = ", ".join(f"{name} = {size}" for name, size in given.lengths.items() if name in at)
    return [
        equal("parameters", held, wanted, "elements", "at full size"),
        equal("matrix products", counted, flops, "FLOP", f"at {said}" if said else ""),
    ]


def matmul_flops(model: "nn.Module", given: Example) -> int:
    """FLOPs of the matrix products that one forward dispatches, two for a multiply-add."""
    from torch.utils.flop_counter import FlopCounterMode

    counter: Any = FlopCounterMode(display=False)
    with counter:
        call(model, given.values)
    return int(counter.get_total_flops())
