"""One use of an operator, with the sizes of what goes in."""

from collections.abc import Mapping

from archspec.source.frozen import Frozen
from compiler.ir.operator import Operator
from compiler.ir.signature import Binding
from compiler.ir.types import TensorType


class Use(Frozen):
    """An operator within a graph, the same for every layer that the graph stands for."""

    operator: Operator
    inputs: tuple[TensorType | None, ...]
    binding: Binding
    parameters: Mapping[str, tuple[int, ...]]
