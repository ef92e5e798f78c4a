"""How to train and to decode with a generated model, as the docstring shows it; tests run what it says."""

from compiler.ir.graph import Graph, Value
from compiler.ir.program import Program
from compiler.ir.size import text


def usage(program: Program, name: str, staged: bool) -> list[str]:
    """A training step, and a greedy loop where the model decodes; `staged` says it has `encode` and `decode`."""
    if program.grown:
        return [*_train_decoder(program, name), "", *_decode(program, staged)]
    return _train(program, name)


def _train(program: Program, name: str) -> list[str]:
    graph = program.main
    outputs = list(graph.outputs)
    result = ", ".join(outputs)
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
        f"    loss = {loss}",
        *STEP,
    ]


STEP = ["    loss.backward()", "    optimizer.step()"]


def _setup(name: str) -> list[str]:
    return [
        f"    model = {name}()",
        "    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)",
    ]


def _train_decoder(program: Program, name: str) -> list[str]:
    ids = program.grown
    given = [f"{v}[:, :-1]" if v in (ids, f"{ids}_mask") else v for v in _names(program.main)]
    return [
        "A training step on next tokens:",
        "",
        *_setup(name),
        f"    logits = model({', '.join(given)})",
        f"    loss = F.cross_entropy(logits.flatten(0, 1), {ids}[:, 1:].flatten())",
        *STEP,
    ]


def _decode(program: Program, staged: bool) -> list[str]:
    graph, ids = program.main, program.grown
    states = [
        v
        for v in graph.inputs.values()
        if graph.type(v).optional and graph.type(v).element == "float"
    ]
    made = [f"    {v.node} = torch.zeros({_shape(graph, v)})" for v in states]
    others = [n for n in _names(graph) if n not in (ids, f"{ids}_mask")]
    masked = f"{ids}_mask" in graph
    encoded = [f"    memory = model.encode({', '.join(others)})"] if staged else []
    call = "model.decode" if staged else "model"
    middle = (["memory"] if staged else []) + ([f"{ids}_mask"] if masked else [])
    given = ", ".join([ids, *middle, *(v.node for v in states)])
    stepped = ", ".join(["token", *middle, *(v.node for v in states), "pos"])
    grow = [f"        {ids}_mask = F.pad({ids}_mask, (0, 1), value=True)"] if masked else []
    return [
        "Greedy decoding into a cache of C slots; `pos` counts the positions that it holds:",
        "",
        f"    B, C = {ids}.shape[0], 64",
        *made,
        *encoded,
        f"    logits = {call}({given})",
        f"    for pos in range({ids}.shape[1], C):",
        "        token = logits[:, -1:].argmax(dim=-1)",
        f"        {ids} = torch.cat(({ids}, token), dim=1)",
        *grow,
        f"        logits = {call}({stepped})",
    ]


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
