"""How to train and to decode with a generated model, as the docstring shows it; tests run what it
says."""

from collections.abc import Iterable

from compiler.backends.torch.aux_loss import has_aux_loss
from compiler.backends.torch.stages import stages
from compiler.backends.torch.stepping import recurrent, stepping
from compiler.ir.graph import Graph, Node, Value
from compiler.ir.program import Program
from compiler.ir.size import text


def usage(program: Program, name: str) -> list[str]:
    """A training step, and a greedy loop where the model decodes."""
    if program.grown:
        return [*_train_decoder(program, name), "", *_decode(program)]
    if program.stepped:
        return [*_train_decoder(program, name), *stepping(program), *recurrent(program)]
    return [*_train(program, name), *recurrent(program)]


def _added(program: Program) -> str:
    """What routers add to the loss."""
    return " + model.aux_loss()" if has_aux_loss(program) else ""


def _train(program: Program, name: str) -> list[str]:
    graph = program.main
    outputs = list(graph.outputs)
    result = ", ".join(outputs)
    if not program.parameters():
        made = [f"    model = {name}()", f"    {result} = model({_required(graph)})"]
        return ["A call; there are no weights, and inputs are named after the spec:", "", *made]
    first = graph.type(graph.outputs[outputs[0]])
    classes = len(first.shape) == 2 and "logits" in outputs[0]
    loss = (
        f"F.cross_entropy({outputs[0]}, target)" if classes else f"F.mse_loss({outputs[0]}, target)"
    )
    what = "class indices [B]" if classes else "values like the first output"
    return [
        f"A training step; `target` holds {what}, inputs are named after the spec:",
        "",
        *_setup(name),
        f"    {result} = model({_required(graph)})",
        f"    loss = {loss}{_added(program)}",
        *STEP,
    ]


STEP = ["    optimizer.zero_grad()", "    loss.backward()", "    optimizer.step()"]


def _setup(name: str) -> list[str]:
    return [
        f"    model = {name}()",
        "    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)",
    ]


def _train_decoder(program: Program, name: str) -> list[str]:
    graph, ids = program.main, program.grown or program.stepped
    found = stages(graph, ids)
    names = _names(graph)
    if found is not None:
        names = [*dict.fromkeys([*_read(graph, found.encode), *_read(graph, found.decode)])]
    given = [f"{v}[:, :-1]" if v in (ids, f"{ids}_mask", f"{ids}_segments") else v for v in names]
    return [
        "A training step on next tokens:",
        "",
        *_setup(name),
        f"    logits = model({', '.join(given)})",
        f"    loss = F.cross_entropy(logits.flatten(0, 1), {ids}[:, 1:].flatten())"
        f"{_added(program)}",
        *STEP,
    ]


def _decode(program: Program) -> list[str]:
    graph, ids = program.main, program.grown
    found = stages(graph, ids)
    kinds = {value.node: graph.type(value) for value in graph.inputs.values()}
    states = [n for n, kind in kinds.items() if kind.optional and kind.element == "float"]
    made = [f"{n} = torch.zeros({_shape(graph, graph.inputs[n])})" for n in states]
    encoded, call, middle = [], "model", [n for n in _names(graph) if n != ids]
    if found is not None:
        crossing = [value.node for value in found.crossing]
        source = ", ".join(_read(graph, found.encode))
        encoded = [f"{', '.join(crossing)} = model.encode({source})"]
        call = "model.decode"
        middle = [*crossing, *(n for n in _read(graph, found.decode) if n != ids)]
    same = [f"    {ids}_segments = torch.cat(({ids}_segments, {ids}_segments[:, -1:]), dim=1)"]
    grow = [f"    {ids}_mask = F.pad({ids}_mask, (0, 1), value=True)"]
    loop = [
        f"B, C = {ids}.shape[0], 64",
        *made,
        *encoded,
        f"logits = {call}({', '.join([ids, *middle, *states])})",
        f"for pos in range({ids}.shape[1], C):",
        "    token = logits[:, -1:].argmax(dim=-1)",
        f"    {ids} = torch.cat(({ids}, token), dim=1)",
        *(grow if f"{ids}_mask" in graph else []),
        *(same if f"{ids}_segments" in graph else []),
        f"    logits = {call}({', '.join(['token', *middle, *states, 'pos'])})",
    ]
    return [
        "Greedy decoding into a cache of C slots; `pos` counts the positions that it holds:",
        "",
        "    model.eval()",
        "    with torch.inference_mode():",
        *(f"        {line}" for line in loop),
    ]


def _read(graph: Graph, nodes: Iterable[Node]) -> list[str]:
    """The inputs that must be given for some nodes, in the order that a method over them takes."""
    read = dict.fromkeys(v for node in nodes for v in node.inputs if v is not None)
    needed = [v for v in graph.inputs.values() if v in read and v.node in _names(graph)]
    return [value.node for value in needed]


def _names(graph: Graph) -> list[str]:
    return [
        name
        for name, v in graph.inputs.items()
        if not graph.type(v).optional and graph.type(v).shape
    ]


def _required(graph: Graph) -> str:
    return ", ".join(_names(graph))


def _shape(graph: Graph, value: Value) -> str:
    return ", ".join(map(text, graph.type(value).shape))
