"""The caches of a decoder, every layer of them with a number of its own."""

from collections.abc import Iterator, Mapping

from compiler.backends.onnx.past import Past
from compiler.ir.graph import Call, Node, Repeat
from compiler.ir.program import Program, layers
from compiler.passes.stateless import is_state


def caches(program: Program) -> dict[str, Past]:
    """What stands for each cache of the root graph.

    Layers keep the number that they have in their stack; those of a further stack, or of a further
    attention in the same layers, are moved behind, as far as they must. What an encoder has made
    for a layer has the layer's number too.
    """
    main, taken, kinds = program.main, dict[str, set[int]](), dict(program.crossing)
    found: dict[str, Past] = {}
    for name, given in main.inputs.items():
        held = main.type(given)
        if is_state(held) and held.element == "float" and name not in dict(program.carried):
            others, first = taken.setdefault(kinds.get(name, ""), set()), 0
            own = {n for node in main for n in _layers(node, name)}
            while not others.isdisjoint(first + layer for layer in own):
                first += 1
            others.update(first + layer for layer in own)
            found[name] = Past(str(first), _side(program, name))
    return found


def _side(program: Program, cache: str) -> str:
    """Whose a cache is where there are two files."""
    if not program.crossing:
        return ""
    return "encoder" if cache in dict(program.crossing) else "decoder"


def earliest(program: Program, known: Mapping[str, Past]) -> Past:
    """The cache of earlier steps that the first attention reads, of its layer."""
    own = {name: past for name, past in known.items() if past.side != "encoder"}
    for node in program.main:
        read = ((layer, past) for name, past in own.items() for layer in _layers(node, name))
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
