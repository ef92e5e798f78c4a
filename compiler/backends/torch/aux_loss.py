"""What the routers of a mixture of experts add to the loss, as a method of the model."""

from collections.abc import Iterator, Mapping
from typing import Final

from compiler.backends.torch.functions import Functions
from compiler.backends.torch.lines import Line, Lines
from compiler.ir.graph import Call, Graph, Repeat
from compiler.ir.program import Program, join
from compiler.ops import Router

NAME: Final = "aux_loss"


def has_aux_loss(program: Program) -> bool:
    """Whether the model has a method `aux_loss`: a router trains, and no node has that name."""
    routers = [node.what for _, node, _ in program.flat() if isinstance(node.what, Router)]
    return any(router.trains for router in routers) and NAME not in program.main


def aux_loss(graph: Graph, helpers: Functions) -> Lines:
    """The method, with an empty line before it; nothing where no router trains."""
    routers = [name for name, source in helpers.sources.items() if f"self.{NAME}" in source]
    if not routers or NAME in graph:
        return []
    found = f"m.{NAME} for m in self.modules() if isinstance(m, {' | '.join(routers)})"
    return [
        Line(0, ""),
        Line(1, f"def {NAME}(self) -> Tensor:"),
        Line(2, '"""The losses of all routers in the last forward in training, added up."""'),
        Line(2, f"return torch.stack([{found}]).sum()"),
    ]


def summed(repeat: Repeat, graphs: Mapping[str, Graph]) -> list[str]:
    """Where routers add up their losses over the layers that share them, as paths below a layer."""
    if not repeat.share or repeat.layers == 1:
        return []
    return list(_routers(graphs[repeat.bodies[0]], graphs, ""))


def _routers(graph: Graph, graphs: Mapping[str, Graph], above: str) -> Iterator[str]:
    for node in graph:
        path = join(above, node.id)
        if isinstance(node.what, Call):
            yield from _routers(graphs[node.what.graph], graphs, path)
        elif isinstance(node.what, Router) and node.what.trains:
            yield f"{path}.{NAME}"
