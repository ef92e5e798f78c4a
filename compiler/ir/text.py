"""A program as text: what `archc show --ir` prints and what the tests of passes compare."""

from collections.abc import Iterator

from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan, Value
from compiler.ir.init import Init
from compiler.ir.letters import Letter
from compiler.ir.program import Program
from compiler.ir.size import Poly, text


def program_text(program: Program) -> str:
    """The key, then every graph, callees first."""
    lines = [f"program {program.name}", *(_letter(known) for known in program.key.key.values())]
    for graph in program.graphs.values():
        lines += ["", *graph_lines(graph)]
    return "\n".join(lines) + "\n"


def graph_lines(graph: Graph) -> Iterator[str]:
    """One graph: a line a node."""
    entries = ", ".join(f"{n.id}: {n.types[0]}" for n in graph if isinstance(n.what, Entry))
    yield f"graph {graph.name}({entries})"
    for node in graph:
        if not isinstance(node.what, Entry):
            yield f"  {_node(graph, node)}"
    yield "  return " + ", ".join(
        _value(graph, v) if name == v.node else f"{name}={_value(graph, v)}"
        for name, v in graph.outputs.items()
    )


def _letter(known: Letter) -> str:
    size = "" if known.size is None else f" = {known.size}"
    size = f" = {known.formula}" if known.formula is not None else size
    said = f" ({known.said})" if known.said else ""
    return f"  {known.name}{size}{said}  {known.meaning}"


def _node(graph: Graph, node: Node) -> str:
    inputs = ", ".join("-" if value is None else _value(graph, value) for value in node.inputs)
    line = f" @{node.span.line}" if node.span.file else ""
    return f"{node.id}: {', '.join(map(str, node.types))} = {_what(node)}({inputs}){line}"


def _what(node: Node) -> str:
    what = node.what
    if isinstance(what, Call):
        return f"call {what.graph}"
    if isinstance(what, Repeat):
        shared = " shared" if what.share else ""
        return f"repeat {what.times} x [{', '.join(what.bodies)}] from {what.start}{shared}"
    if isinstance(what, Scan):
        taken = f"carrying {what.carried}, cutting {what.cut}"
        return f"scan {_field(what.times)} x {what.graph} {taken} "
    if isinstance(what, Entry):
        return "input"
    changed = {k: v for k, v in vars(what).items() if v not in (None, False, ())}
    return type(what).__name__ + "".join(f" {k}={_field(v)}" for k, v in changed.items())


def _field(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_field, value))})"
    if isinstance(value, Poly):
        return text(value).replace(" ", "")
    return f"{value.kind}({value.a:g})" if isinstance(value, Init) else str(value)


def _value(graph: Graph, value: Value) -> str:
    return value.node if len(graph[value.node].types) == 1 else f"{value.node}.{value.port}"
