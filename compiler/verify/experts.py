"""How large the matrices of experts are drawn: as large as any other's, by what each reads."""

from typing import TYPE_CHECKING

from compiler.ir.program import Program, join
from compiler.ops import GroupedLinear

if TYPE_CHECKING:
    from torch import nn


def even_experts(model: "nn.Module", program: Program) -> None:
    """Draw stacks of matrices [E, O, I] by their inputs I, of which a stack alone tells nothing.

    Taken for filters that read O·I numbers they would be next to nothing, and a mistake in them
    seen by nobody. `program` is the fused one that `model` is made from.
    """
    import torch

    known = dict(model.named_parameters())
    with torch.no_grad():
        for path, node, _ in program.flat():
            if isinstance(node.what, GroupedLinear):
                above, _, _ = path.rpartition(".")
                weight = known[f"{join(above, node.under or node.id)}.weight"]
                weight.mul_(weight.shape[1] ** 0.5)
