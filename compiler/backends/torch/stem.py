"""What a value is called in a `forward`, before its dimensions."""

from compiler.ir.graph import Call, Node, Repeat
from compiler.ir.operator import Operator
from compiler.ops import Split
from compiler.ops.recurrence import AnyRecurrence
from compiler.passes.stages import called


def stem(node: Node, port: int, suffix: str, *, same: bool) -> str:
    """The name of an output whose dimensions are `suffix`; `x` where it is the `same` stream."""
    what = node.what
    if isinstance(what, Split) and what.names:
        return what.names[port]
    if isinstance(what, Operator) and what.named and not same:
        return node.id.partition("_")[0] + ("_rows" if port else "")
    if isinstance(what, AnyRecurrence) and not same:
        return called(node, port)
    if isinstance(what, Operator):
        name = what.signature.outputs[min(port, len(what.signature.outputs) - 1)].name
        if name not in ("y", "z", "x"):
            return name
    if isinstance(what, Call) and suffix and not same:
        return node.id
    return "x" if same or isinstance(what, Repeat) else "y"
