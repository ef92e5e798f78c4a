"""A program whose decoder is given the keys and values of its source, and what makes them."""

from dataclasses import replace

from archspec.source.frozen import Frozen
from compiler.ir.graph import Graph, Node, Repeat, Value
from compiler.passes.stages import Stages


class Maker(Frozen):
    """An attention that makes keys and values.

    Attributes:
        path: of ids, from a layer down to it; empty where it is the layer.
        read: the values of the root graph that it makes them of.
        made: the paths of its operators that do.
    """

    path: tuple[str, ...]
    read: tuple[Value, ...]
    made: tuple[str, ...]

    def below(self, id_: str) -> "Maker":
        """The same from a graph that calls the layer."""
        made = tuple(f"{id_}.{path}" for path in self.made)
        return replace(self, path=(id_, *self.path), made=made)


class Apart(Frozen):
    """What makes keys and values in an attention: a graph that ends with them."""

    graph: Graph
    ends: tuple[Value, ...]


class Layer(Frozen):
    """What a layer makes: its attentions, and how many tensors it is given instead."""

    makers: tuple[Maker, ...]
    count: int


class Kept(Frozen):
    """A node of the decoder, as a step has it, whose layers are all alike."""

    node: Node
    layer: Layer


class SourceKeys(Frozen):
    """A program whose decoder is given the keys and values of its source.

    Attributes:
        main: the root graph, whose decoder does not read what they are made of.
        stages: its two stages; what crosses between them is what a step reads beside.
        kept: nodes of the decoder by their ids.
        makers: what makes keys and values alone, by the names of the graphs of attentions.
        steps: graphs with all but that, which take keys and values behind their other inputs.
    """

    main: Graph
    stages: Stages
    kept: dict[str, Kept]
    makers: dict[str, Apart]
    steps: dict[str, Graph]

    @property
    def read(self) -> list[Value]:
        """What keys and values are made of."""
        makers = (maker for kept in self.kept.values() for maker in kept.layer.makers)
        return list(dict.fromkeys(value for maker in makers for value in maker.read))

    @property
    def encoded(self) -> list[Value]:
        """What the encoder gives: what keys and values are made of, then what else crosses."""
        return list(dict.fromkeys([*self.read, *self.stages.crossing]))

    @property
    def made(self) -> frozenset[str]:
        """The operators that make them, by paths with `*` for a layer: `dec.*.cross.k`."""
        found = set[str]()
        for id_, kept in self.kept.items():
            above = f"{id_}.*" if isinstance(kept.node.what, Repeat) else id_
            found |= {f"{above}.{path}" for maker in kept.layer.makers for path in maker.made}
        return frozenset(found)
