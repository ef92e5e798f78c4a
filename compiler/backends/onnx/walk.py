"""From a program to a listing: every call and every layer of a repeat written out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from compiler.backends.onnx.builder import Nodes
from compiler.backends.onnx.caches import caches, earliest
from compiler.backends.onnx.listing import Inner, Listing, Step
from compiler.backends.onnx.mixture import mixture, write_mixture
from compiler.backends.onnx.past import Carried
from compiler.backends.onnx.pruning import pruned
from compiler.backends.onnx.seen import Seen
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.spot import Spot
from compiler.backends.onnx.use import Use
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan
from compiler.ir.operator import Operator
from compiler.ir.program import Program, layers
from compiler.ir.size import as_poly, value
from compiler.ir.target import PORTABLE, Target
from compiler.ir.types import TensorType
from compiler.ops.grouped_query import GROUPED
from compiler.ops.keeps import Keeps
from compiler.passes.stateless import is_state


def unrolled(program: Program, target: Target = PORTABLE) -> Listing:
    """The whole model as ONNX steps.

    A decoder with a cache becomes one step of it, unless `program` is in the full-sequence form.
    """
    return Walk.through(program, target)


class Walk:
    """Interprets a program over names: what another interpreter computes, this one writes down.

    Where rows are `counted`, a mask of integers says how many positions each has.
    """

    def __init__(self, program: Program, target: Target, *, counted: bool = False) -> None:
        self.program, self.target = program, target.suited(cached=bool(program.grown))
        self.counted = counted
        self.sheet = Sheet()
        self.seen: Seen | None = None
        self._uses: dict[tuple[str, str], Use] = {}

    @classmethod
    def through(cls, program: Program, target: Target) -> Listing:
        """The listing of a program. Rows are counted where any attention keeps its keys itself."""
        if not (target.fuses and program.grown and caches(program)):
            return cls(program, target).listing()
        made = cls(program, target, counted=True).listing()
        if any(step.kind == GROUPED for step in made.flat()):
            return made
        return replace(cls(program, target).listing(), apart=made.apart)

    def listing(self) -> Listing:
        """The finished listing, without what no output needs."""
        main, made = self.program.main, self.sheet.listing
        types = {name: main.type(found) for name, found in main.inputs.items()}
        made.inputs = {name: found for name, found in types.items() if not is_state(found)}
        state = self._state(types)
        results = self.graph(main, [state.get(name, name) for name in types], Spot())
        made.steps = self.sheet.steps
        called: dict[str, str] = {}
        for (name, found), result in zip(main.outputs.items(), results, strict=True):
            made.outputs[name] = main.type(found)
            self._name_output(name, self._in_order(result, made.outputs[name]), called)
        return pruned(made)

    def _state(self, types: Mapping[str, TensorType]) -> dict[str, Any]:
        """What stands for inputs of a decoder that tell its states, its cache and how much it has
        seen; where rows are counted, for all that have positions."""
        cache: dict[str, Any] = {n: Carried(path) for n, path in self.program.carried}
        cache.update(caches(self.program))
        pos = next((name for name in types if is_state(types[name]) and name not in cache), None)
        if pos is None:
            return cache
        places = ((node, graph) for _, node, graph in self.program.flat())
        each, graph = next(found for found in places if isinstance(found[0].what, Keeps))
        keeps = each.what
        assert isinstance(keeps, Keeps)
        kind, axis = keeps.slots
        past, _ = earliest(self.program, caches(self.program)).names(kind)
        (new, *_) = graph.types(each.inputs[:1])
        assert new is not None
        sizes = as_poly(keeps.S), as_poly(new.shape[-2])
        self.seen = Seen(self.sheet, self.program, *sizes, ties=self.target.provider != "cuda")
        self.sheet.listing.shares = self.counted
        if self.counted:
            return {**cache, **self.seen.by_mask(pos)}
        return {**cache, pos: self.seen.by_cache(past, axis)}

    def _in_order(self, result: str, found: TensorType) -> str:
        """An output as the caller's positions are, where rows have been moved to their front."""
        if self.seen is None or self.sheet.counts is None or len(found.shape) < 2:
            return result
        moved = as_poly(found.shape[1]) == self.seen.new
        return self.seen.put_back(result) if moved else result

    def graph(self, graph: Graph, inputs: Sequence[Any], spot: Spot) -> list[Any]:
        """Write a graph down; takes and returns the values of its inputs and outputs."""
        values: dict[tuple[str, int], Any] = {}
        entered = iter(inputs)
        for node in graph:
            given = [None if v is None else values[v.node, v.port] for v in node.inputs]
            below = spot.below(node.under or node.id, node.span)
            match node.what:
                case Entry():
                    made = [next(entered)]
                case Operator():
                    made = self._operator(graph, node, given, below)
                case Call() if experts := mixture(self.program, graph, node, self.target, below):
                    made = [write_mixture(self.sheet, experts, given, below, self.target)]
                case Call(callee):
                    made = self.graph(self.program.graphs[callee], given, below)
                case Repeat() as repeat:
                    made = [self.repeat(repeat, given, below)]
                case Scan() as scan:
                    made = self.scan(scan, given, below)
            values.update({(node.id, port): each for port, each in enumerate(made)})
        return [values[found.node, found.port] for found in graph.outputs.values()]

    def repeat(self, repeat: Repeat, inputs: list[Any], spot: Spot) -> Any:
        """Write a repeat down, layer after layer; returns what the last one gives."""
        carried = inputs[0]
        for layer, _ in layers(repeat):
            offset = (layer - repeat.start) % len(repeat.bodies)
            owner = repeat.start if repeat.share else layer
            carried = self.body(repeat, offset, carried, inputs, spot.layer(str(layer), str(owner)))
        return carried

    def body(self, repeat: Repeat, offset: int, carried: Any, inputs: list[Any], spot: Spot) -> Any:
        """Write one body of a repeat down; `carried` stands in the place of the first input."""
        given = [
            inputs[at].layer(spot.nodes.rpartition("/")[2])
            if at in repeat.sliced
            else inputs[at]
            if at
            else carried
            for at in repeat.wires[offset]
        ]
        made = self.graph(self.program.graphs[repeat.bodies[offset]], given, spot)
        return made[0] if made else carried

    def scan(self, scan: Scan, inputs: list[Any], spot: Spot) -> list[Any]:
        """Write a scan down as one node with a graph inside; what all steps share is read from
        around it."""
        body, ahead = self.program.graphs[scan.graph], scan.carried + scan.cut
        entries = list(body.inputs.items())[:ahead]
        taken = {self.sheet.unique(f"{spot.nodes}/{n}"): body.type(found) for n, found in entries}
        outer, self.sheet.steps = self.sheet.steps, []
        results = self.graph(body, [*taken, *inputs[ahead:]], spot)
        given: dict[str, TensorType] = {}
        for (name, found), result in zip(body.outputs.items(), results, strict=True):
            given[self._own(spot.below(name), result, given)] = body.type(found)
        steps = tuple(step for step in self.sheet.steps if isinstance(step, Step))
        self.sheet.steps = outer
        axes = {"scan_input_axes": scan.cut, "scan_output_axes": len(results) - scan.carried}
        made = self.sheet.step(
            spot,
            "Scan",
            inputs[:ahead],
            len(results),
            {"num_scan_inputs": scan.cut, **{name: [1] * count for name, count in axes.items()}},
            graphs={"body": Inner(spot.nodes, spot.owner, taken, given, steps)},
        )
        return list(made)

    def _own(self, spot: Spot, result: str, others: Mapping[str, TensorType]) -> str:
        """The name of a result of a scan: another one where no node makes it or it is given
        already."""
        made = {each for step in self.sheet.steps for each in step.made}
        if result in made and result not in others:
            return result
        (own,) = self.sheet.step(spot, "Identity", (result,), 1, {})
        return own

    def _operator(self, graph: Graph, node: Node, given: list[Any], spot: Spot) -> list[Any]:
        use = self._use(graph, node)
        made = use.operator.onnx(self._nodes(use, given, spot))
        return [made] if len(node.types) == 1 else list(made)

    def _nodes(self, use: Use, given: list[Any], spot: Spot) -> Nodes:
        return Nodes(self.sheet, self.program.key, use, given, spot, self.target)

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

    def _name_output(self, name: str, result: str, called: dict[str, str]) -> None:
        """Call a result as the model's output is called; a node does it where that cannot be.

        `called` has the results that were given names before.
        """
        steps = self.sheet.steps
        if not any(result in step.made for step in steps):
            given = called.get(result, result)
            identity = self.sheet.unique(f"/{name}/Identity")
            steps.append(Step(identity, "Identity", (given,), (name,), {}))
            return
        called[result] = name
        steps[:] = [step.renamed(result, name) for step in steps]
