"""The caches of a decoder, every layer of them with a number of its own."""

from collections.abc import Iterator, Mapping

from compiler.backends.onnx.past import Past
from compiler.ir.graph import Call, Node, Repeat
from compiler.ir.program import Program, layers
from compiler.passes.stateless import is_state


def caches(program: Program) -> dict[str, Past]:
    """What stands for each cache of the root graph.

    Layers keep the number that they have in their stack; those of a further stack, or of a further
    attention in the same layers, are moved behind, as far as they must.
    """
    main, taken = program.main, set[int]()
    found: dict[str, Past] = {}
    for name, given in main.inputs.items():
        held = main.type(given)
        if is_state(held) and held.element == "float":
            own, first = {n for node in main for n in _layers(node, name)}, 0
            while not taken.isdisjoint(first + layer for layer in own):
                first += 1
            taken.update(first + layer for layer in own)
            found[name] = Past(str(first))
    return found


def earliest(program: Program, known: Mapping[str, Past]) -> Past:
    """The cache that the first attention reads, of its layer."""
    for node in program.main:
        read = ((layer, past) for name, past in known.items() for layer in _layers(node, name))
        for layer, past in sorted(read, key=lambda found: found[0]):
            return past.layer(str(layer))
    raise ValueError(f"{program.name} reads none of its caches")


def _layers(node: Node, cache: str) -> Iterator[int]:
    """The layers of a node that keep something in a cache; 0 where it is that of one attention."""
    ports = {at for at, found in enumerate(node.inputs) if found and found.node == cache}
    match node.what:
        case Repeat() as repeat:
            for place, (layer, _) in enumerate(layers(repeat)):
                if not ports.isdisjoint(repeat.wires[place % len(repeat.bodies)]):
                    yield layer
        case Call() if ports:
            yield 0
