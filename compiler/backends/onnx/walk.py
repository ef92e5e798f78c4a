"""From a program to a listing: every call and every layer of a repeat written out."""

from collections.abc import Sequence
from typing import Any

from compiler.backends.onnx.builder import Nodes, Use
from compiler.backends.onnx.listing import ELEMENTS, Element, Listing, Step, pruned
from compiler.backends.onnx.sheet import Sheet
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat
from compiler.ir.operator import Operator
from compiler.ir.program import Program, join, layers
from compiler.ir.size import value


def unrolled(program: Program) -> Listing:
    """The whole model as ONNX steps; `program` is in the full-sequence form."""
    return Walk(program).listing()


class Walk:
    """Interprets a program over names: what an interpreter computes, this writes down."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sheet = Sheet()
        self._uses: dict[tuple[str, str], Use] = {}

    def listing(self) -> Listing:
        """The finished listing, without what no output needs."""
        main, made = self.program.main, self.sheet.listing
        made.inputs = {name: main.type(found) for name, found in main.inputs.items()}
        results = self.graph(main, list(made.inputs), "", "", 1)
        made.steps = self.sheet.steps
        for (name, found), result in zip(main.outputs.items(), results, strict=True):
            made.outputs[name] = main.type(found)
            self._name_output(name, result)
        return pruned(made)

    def graph(
        self, graph: Graph, inputs: Sequence[Any], path: str, owner: str, copies: int
    ) -> list[Any]:
        """Write a graph down; takes and returns the values of its inputs and outputs."""
        values: dict[tuple[str, int], Any] = {}
        entered = iter(inputs)
        for node in graph:
            given = [None if v is None else values[v.node, v.port] for v in node.inputs]
            name = node.under or node.id
            below, owned = join(path, name), join(owner, name)
            match node.what:
                case Entry():
                    made = [next(entered)]
                case Operator():
                    made = self._operator(graph, node, given, below, owned, copies)
                case Call(callee):
                    made = self.graph(self.program.graphs[callee], given, below, owned, copies)
                case Repeat() as repeat:
                    made = self.repeat(repeat, given, below, owned, copies)
            values.update({(node.id, port): each for port, each in enumerate(made)})
        return [values[v.node, v.port] for v in graph.outputs.values()]

    def repeat(
        self, repeat: Repeat, inputs: list[Any], path: str, owner: str, copies: int
    ) -> list[Any]:
        """Write a repeat down, layer after layer."""
        if repeat.sliced:
            raise ValueError(f"{path}: the full-sequence form keeps nothing for each layer")
        carried = inputs[0]
        for layer, body in layers(repeat):
            offset = (layer - repeat.start) % len(repeat.bodies)
            owned = f"{owner}.{repeat.start + offset if repeat.share else layer}"
            given = [carried if at == 0 else inputs[at] for at in repeat.wires[offset]]
            (carried,) = self.graph(
                self.program.graphs[body], given, f"{path}.{layer}", owned, copies
            )
        return [carried]

    def _operator(
        self, graph: Graph, node: Node, given: list[Any], path: str, owner: str, copies: int
    ) -> list[Any]:
        use = self._use(graph, node)
        made = use.operator.onnx(
            Nodes(self.sheet, self.program.key, use, given, path, owner, copies)
        )
        return [made] if len(node.types) == 1 else list(made)

    def _use(self, graph: Graph, node: Node) -> Use:
        known = self._uses.get((graph.name, node.id))
        if known is None:
            assert isinstance(node.what, Operator)
            key, types = self.program.key, graph.types(node.inputs)
            parameters = {
                name: tuple(value(size, key.sizes) for size in found.shape)
                for name, found in node.what.parameters(types, key).items()
            }
            known = Use(node.what, types, node.what.bind(types, key), parameters)
            self._uses[graph.name, node.id] = known
        return known

    def _name_output(self, name: str, result: str) -> None:
        """Give a result the name of a model output; a step does it where the value has a name of its own."""
        made = self.sheet.listing
        steps = self.sheet.steps
        for at, step in enumerate(steps):
            if isinstance(step, Step) and result in step.outputs and result not in made.outputs:
                steps[at] = _renamed(step, result, name)
                steps[at + 1 :] = [
                    _renamed(s, result, name) if isinstance(s, Step) else s for s in steps[at + 1 :]
                ]
                return
        steps.append(
            Step(self.sheet.unique(f"/{name}/Identity"), "Identity", (result,), (name,), {})
        )


def element_of(found: Any) -> Element:
    """The ONNX element type of a tensor type."""
    return ELEMENTS[found.element]


def _renamed(step: Step, old: str, new: str) -> Step:
    inputs = tuple(new if each == old else each for each in step.inputs)
    outputs = tuple(new if each == old else each for each in step.outputs)
    return Step(step.name, step.kind, inputs, outputs, step.attributes, step.domain)
