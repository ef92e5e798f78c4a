"""How to train and to decode with a generated model, as the docstring shows it; tests run what it
says."""

from collections.abc import Iterable

from compiler.backends.torch.aux_loss import has_aux_loss
from compiler.backends.torch.crossing import Crossing
from compiler.backends.torch.looking import keeps, looking
from compiler.backends.torch.module import argument
from compiler.backends.torch.stepping import recurrent, stepping
from compiler.ir.graph import Graph, Node, Value
from compiler.ir.methods import ALL
from compiler.ir.program import Program
from compiler.ir.size import as_poly, text
from compiler.passes.keys_apart import SourceKeys
from compiler.passes.stages import stages


def usage(program: Program, name: str, keys: SourceKeys | None) -> list[str]:
    """A training step, and a greedy loop where the model decodes, with the `keys` and values of its
    source; how to look at the weights of one that keeps them."""
    if keeps(program):
        return looking(program, name, _given(program))
    if program.grown and _logits(program):
        return [*_train_decoder(program, name), "", *_decode(program, keys)]
    if program.grown:
        return [*_train(program, name), "", *_continue(program, keys)]
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
        made = [f"    model = {name}()", f"    {result} = model({', '.join(_given(program))})"]
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
        f"    {result} = model({', '.join(_given(program))})",
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
    ids = program.grown or program.stepped
    own = (ids, f"{ids}_mask", f"{ids}_segments")
    given = [f"{v}[:, :-1]" if v in own else v for v in _given(program)]
    result, logits = _results(program)
    unlearnt = _unlearnt(program, ids)
    wanted = "next_ids" if unlearnt else f"{ids}[:, 1:]"
    return [
        "A training step on next tokens:",
        "",
        *_setup(name),
        f"    {result} = model({', '.join(given)})",
        *unlearnt,
        f"    loss = F.cross_entropy({logits}.flatten(0, 1), {wanted}.flatten()){_added(program)}",
        *STEP,
    ]


def _unlearnt(program: Program, ids: str) -> list[str]:
    """What leaves out of the loss, by the number that `F.cross_entropy` does not heed, next tokens
    that are padding and those that begin another document."""
    given, next_ids = _given(program), f"{ids}[:, 1:]"
    said = []
    if f"{ids}_mask" in given:
        said.append(f"    next_ids = {next_ids}.masked_fill(~{ids}_mask[:, 1:], -100)")
        next_ids = "next_ids"
    if f"{ids}_segments" in given:
        begins = f"{ids}_segments[:, 1:] != {ids}_segments[:, :-1]"
        said.append(f"    next_ids = {next_ids}.masked_fill({begins}, -100)")
    return said


def _decode(program: Program, keys: SourceKeys | None) -> list[str]:
    graph, ids = program.main, program.grown
    start, call, given, more = _start(program, keys)
    result, logits = _results(program)
    same = [f"    {ids}_segments = torch.cat(({ids}_segments, {ids}_segments[:, -1:]), dim=1)"]
    grow = [f"    {ids}_mask = F.pad({ids}_mask, (0, 1), value=True)"]
    loop = [
        *start,
        f"{result} = {call}({', '.join([ids, *given])})",
        f"for pos in range({ids}.shape[1], C):",
        f"    token = {logits}[:, -1:].argmax(dim=-1)",
        f"    {ids} = torch.cat(({ids}, token), dim=1)",
        *(grow if f"{ids}_mask" in graph else []),
        *(same if f"{ids}_segments" in graph else []),
        f"    {result} = {call}({', '.join(['token', *given, more])})",
    ]
    return [
        "Greedy decoding into a cache of C slots; `pos` counts the positions that it holds:",
        *_without_gradients(loop),
    ]


def _continue(program: Program, keys: SourceKeys | None) -> list[str]:
    """The first positions into a cache, of a decoder that has no logits."""
    start, call, given, more = _start(program, keys)
    result = ", ".join(program.main.outputs)
    loop = [*start, f"{result} = {call}({', '.join([program.grown, *given])})"]
    return [
        f"The first positions into a cache of C slots; the next ones follow with `{more}`, which",
        "counts the positions that it holds:",
        *_without_gradients(loop),
    ]


def _start(program: Program, keys: SourceKeys | None) -> tuple[list[str], str, list[str], str]:
    """What stands before a loop, what is called in it, and with what after the new tokens: always,
    and from the second time on."""
    graph, ids = program.main, program.grown
    found = keys.stages if keys else stages(graph, ids)
    kinds = {value.node: graph.type(value) for value in graph.inputs.values()}
    states = [n for n, kind in kinds.items() if kind.optional and kind.element == "float"]
    made = [f"{n} = torch.zeros({_shape(graph, graph.inputs[n])})" for n in states]
    encoded, call, middle = [], "model", [n for n in _given(program) if n != ids]
    if found is not None:
        crossing = [value.node for value in found.crossing]
        said = f"model.encode({', '.join(_read(graph, found.encode))})"
        encoded = [f"{', '.join(crossing)} = {said}"]
        if keys is not None:
            lists = list(Crossing(keys).names.values())
            encoded = _made(keys, said, ", ".join(lists))
            crossing += lists
        call = "model.decode"
        read = _read(graph, found.decode, graph.outputs.values())
        middle = [*crossing, *(n for n in read if n != ids)]
    pos = next(n for n, kind in kinds.items() if not kind.shape)
    passed, more = states, "pos"
    if pos != "pos" or any(kind.optional and kind.element == "int" for kind in kinds.values()):
        passed = [f"{argument(graph, graph.inputs[n])}={n}" for n in states]
        more = f"{pos}=pos"
    return [f"B, C = {ids}.shape[0], 64", *made, *encoded], call, [*middle, *passed], more


def _made(keys: SourceKeys, encoded: str, lists: str) -> list[str]:
    """What encodes a source and makes its keys and values."""
    if len(keys.read) == 1 and not keys.stages.crossing:
        return [f"{lists} = model.{ALL}({encoded})"]
    names, read = (", ".join(v.node for v in each) for each in (keys.encoded, keys.read))
    return [f"{names} = {encoded}", f"{lists} = model.{ALL}({read})"]


def _without_gradients(loop: Iterable[str]) -> list[str]:
    lines = [f"        {line}" for line in loop]
    return ["", "    model.eval()", "    with torch.inference_mode():", *lines]


def _results(program: Program) -> tuple[str, str]:
    """What is on the left of a call, and the name of the logits in it."""
    outputs = list(program.main.outputs)
    return ("logits", "logits") if len(outputs) == 1 else (", ".join(outputs), _logits(program))


def _logits(program: Program) -> str:
    """The output with a number for each token of the vocabulary at each position, if any."""
    graph, ids = program.main, program.grown or program.stepped
    places = graph.type(graph.inputs[ids]).shape[1]
    for name, output in graph.outputs.items():
        shape = graph.type(output).shape
        known = program.key.key.get(text(as_poly(shape[-1])))
        if len(shape) == 3 and shape[1] == places and known and known.role == "vocabulary":
            return name
    return ""


def _given(program: Program) -> list[str]:
    """The inputs that a call must give, in the order that `forward` takes them."""
    graph = program.main
    found = stages(graph, program.grown or program.stepped)
    if found is None:
        return _read(graph, graph, graph.outputs.values())
    first = _read(graph, found.encode)
    return list(dict.fromkeys([*first, *_read(graph, found.decode, graph.outputs.values())]))


def _read(graph: Graph, nodes: Iterable[Node], passed: Iterable[Value] = ()) -> list[str]:
    """The inputs that must be given for some nodes, in the order that a method over them takes;
    values that are `passed` on as they are count too."""
    read = dict.fromkeys(v for node in nodes for v in node.inputs if v is not None)
    read |= dict.fromkeys(passed)
    needed = [v for v in graph.inputs.values() if v in read and v.node in _names(graph)]
    return [value.node for value in needed]


def _names(graph: Graph) -> list[str]:
    return [
        name
        for name, v in graph.inputs.items()
        if not graph.type(v).optional and graph.type(v).shape
    ]


def _shape(graph: Graph, value: Value) -> str:
    return ", ".join(map(text, graph.type(value).shape))
