"""How a recurrent model decodes and where it cannot go, as the docstring says it; tests run what it
says."""

from compiler.ir.program import Program
from compiler.ops import StackedCell, StackedLstmCell
from compiler.ops.recurrence import AnyRecurrence
from compiler.passes.stages import called, stages

LONGEST = 96
RECURRENT = AnyRecurrence | StackedCell | StackedLstmCell
"""Operators that are a recurrent module of torch."""


def stepping(program: Program) -> list[str]:
    """A greedy loop, a token a step; nothing where the model has no `encode` and `decode`."""
    graph, ids = program.main, program.stepped
    found = stages(graph, ids)
    if found is None:
        return []
    inputs = graph.inputs.values()
    source = [v.node for v in inputs if any(v in node.inputs for node in found.encode)]
    crossing = [called(graph[value.node], value.port) for value in found.crossing]
    read = {value for node in found.decode for value in node.inputs}
    beside = [v.node for v in inputs if v in read and v.node != ids]
    names = dict(zip(found.crossing, crossing, strict=True))
    results = ", ".join([*graph.outputs, *(names[start] for start, _ in program.states)])
    rest = ", ".join([*crossing, *beside])
    return [
        "",
        "Greedy decoding, a token a step; the states go from call to call:",
        "",
        *_call("    ", ", ".join(crossing), "encode", ", ".join(source)),
        *_call("    ", results, "decode", f"{ids}, {rest}"),
        f"    for _ in range({ids}.shape[1], 64):",
        f"        token = {next(iter(graph.outputs))}[:, -1:].argmax(dim=-1)",
        f"        {ids} = torch.cat(({ids}, token), dim=1)",
        *_call("        ", results, "decode", f"token, {rest}"),
    ]


def _call(indent: str, results: str, method: str, given: str) -> list[str]:
    """A call of a method of the model, its arguments on a line of their own where it is long."""
    whole = f"{indent}{results} = model.{method}({given})"
    if len(whole) <= LONGEST:
        return [whole]
    return [f"{indent}{results} = model.{method}(", f"{indent}    {given}", f"{indent})"]


def recurrent(program: Program) -> list[str]:
    """What torch 2.13 cannot do with a recurrence; nothing where there is none."""
    found = [n for _, n, _ in program.flat() if isinstance(n.what, RECURRENT)]
    if not found:
        return []
    packed = any(
        isinstance(node.what, AnyRecurrence) and node.inputs[-1] is not None for node in found
    )
    if packed:
        return [
            "",
            "torch.compile breaks its graph where rows are packed by length, so no fullgraph=True;",
            "torch.export cannot take them.",
        ]
    return [
        "",
        "torch.compile(fullgraph=True) wants torch._dynamo.config.allow_rnn = True here;",
        "torch.export fixes the lengths.",
    ]
