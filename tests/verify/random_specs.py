"""Specs by chance over the grammar: decoders, encoders, both, images, sets, what joins them."""

from dataclasses import dataclass
from typing import Any

from tests.verify.random_layers import ACTIVATIONS, NAMES, NORMS, Layers, Tree


@dataclass(frozen=True)
class Edge:
    """A value of a graph: its width, its rank, and the input whose positions it has."""

    name: str
    width: int
    rank: int
    origin: str = ""


class Graph(Layers):
    """One spec in the making."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.free = self.random.sample(NAMES, len(NAMES))
        self.inputs: Tree = {}
        self.graph: Tree = {}
        self.edges: list[Edge] = []
        self.tables: dict[str, int] = {}

    def spec(self) -> Tree:
        """All of it."""
        kinds = (self.decoder, self.encoder, self.translator, self.vision, self.points, self.wild)
        self.random.choices(kinds, [5, 3, 3, 3, 2, 5])[0]()
        found: Tree = {"name": self.one("by chance", "F", "torch", "1x", 'a "b" \\ {{x}}', "Zoë")}
        if self.dims:
            found["dims"] = self.dims
        found["inputs"] = self.inputs
        rates = self.one(0.1, {"residual": 0.1, "attention": 0.2, "hidden": 0.1, "embed": 0.3})
        init = self.one("torch", "xavier", {"normal": 0.02, "residual": "depth_scaled"})
        defaults = self.some({"bias": True, "dropout": rates, "init": init})
        if self.placed:
            defaults |= {"norm": self.one(*NORMS), "norm_at": self.one("pre", "post", "out")}
        if defaults:
            found["defaults"] = defaults
        if self.blocks:
            found["blocks"] = self.blocks
        found["graph"] = self.graph
        if self.odds():
            count = min(len(self.graph), self.random.randint(1, 3))
            found["outputs"] = self.random.sample(list(self.graph), count)
        return found

    def name(self) -> str:
        """A name that nothing else has, often one that generated code has too."""
        if self.free and self.odds(0.8):
            return self.free.pop()
        return f"n{len(self.graph) + len(self.inputs)}_{self.random.randrange(10**6)}"

    def add(self, node: Tree, width: int, rank: int, origin: str, source: str = "") -> Edge:
        """Put a node into the graph; `in` is left out now and then where it may be."""
        above = next(reversed(self.graph), "")
        if source and (source != above or self.odds(0.3)):
            node = {**node, "in": source}
        edge = Edge(self.name(), width, rank, origin)
        self.graph[edge.name] = node
        self.edges.append(edge)
        return edge

    def padded(self, x: Edge) -> bool:
        """Whether padding travels with a value."""
        return "'padded': True" in str(self.inputs.get(x.origin))

    def packed(self, x: Edge) -> bool:
        """Whether a row of a value may hold several documents."""
        return "'segments': True" in str(self.inputs.get(x.origin))

    def words(self) -> str:
        """An input of tokens."""
        name = self.name()
        forms: list[Any] = ["tokens", {"tokens": {"max": 16}}, {"tokens": {"padded": True}}]
        forms += [{"tokens": {"padded": True, "max": 24}}, {"tokens": {"segments": True}}]
        self.inputs[name] = self.random.choices(forms, [3, 3, 3, 3, 1])[0]
        return name

    def embed(self, ids: str) -> Edge:
        """An embedding with a table of its own or a shared one."""
        if self.tables and self.odds(0.6):
            table, width = self.one(*self.tables.items())
            body: Tree = {"share": table}
        else:
            table, width = "", self.one(2, 4, 6, 8, 12, 24)
            body = {"vocab": self.size(self.one(2, 5, 11, 17)), "dim": self.size(width)}
        positions: list[Tree] = [{"learned": 30}, {"learned": 30, "offset": 2}]
        if width % 2 == 0 and width > 2:
            waves = {"max": 30, "layout": "halves", "span": "d-2", "base": 100}
            positions += [{"sinusoid": {"max": 30}}, {"sinusoid": waves}]
        beside: Tree = {"sinusoid": {"max": 30, "combine": "concat", "width": 4}}
        if not table and self.odds(0.1):
            body["positions"] = beside
            edge = self.add({"embed": body}, width + 4, 3, ids, ids)
            self.tables[edge.name] = width
            return edge
        options = {
            "scale": self.one(2.0, "sqrt(8)", -1),
            "positions": self.one(*positions),
            "norm": self.one(*NORMS),
            "types": self.one(1, 2, 3),
        }
        out = width
        if self.odds(0.15):
            out = body["project"] = self.one(6, 8, 10)
        edge = self.add({"embed": {**body, **self.some(options)}}, out, 3, ids, ids)
        if not table:
            self.tables[edge.name] = width
        return edge

    def layers(self, x: Edge, mask: str, sources: list[Edge]) -> Edge:
        """A stack on `x`."""
        self.conv = not self.padded(x) and not self.packed(x)
        self.rnn = not self.packed(x)
        made = self.stack(x.width, mask, [edge.name for edge in sources], self.name())
        return self.add(made, x.width, 3, x.origin, x.name)

    def head(self, x: Edge) -> Edge:
        """What may follow at the end: logits, a map, a norm, nothing."""
        match self.one("unembed", "unembed", "linear", "norm", "mlp", "dropout", "nothing"):
            case "unembed":
                options = {"bias": True, "in_scale": self.one(0.5, "4**-0.5"), "scale": -2}
                body = self.some(options)
                fits = [table for table, width in self.tables.items() if width == x.width]
                own = {"vocab": self.one(11, 17)}
                chosen = {"tie": self.one(*fits)} if fits and self.odds(0.7) else own
                return self.add({"unembed": {**chosen, **body}}, 11, x.rank, "", x.name)
            case "linear":
                width = self.one(1, 5, 8)
                options = self.some({"act": self.one(*ACTIVATIONS), "bias": True})
                made = {"linear": {"dim": width, **options}}
                return self.add(made, width, x.rank, x.origin, x.name)
            case "norm":
                return self.add({"norm": self.one(*NORMS)}, x.width, x.rank, x.origin, x.name)
            case "mlp":
                return self.add(self.mlp(), x.width, x.rank, x.origin, x.name)
            case "dropout":
                return self.add({"dropout": self.one(0.1, 0)}, x.width, x.rank, x.origin, x.name)
            case _:
                return x

    def pool(self, x: Edge) -> Edge:
        """One vector of a sequence."""
        pools: list[Any] = ["first", "last", "mean", {"mean": {"skip": 1}}]
        pools.append({"index": self.one(0, 1, -1, -2)})
        if "tokens" in str(self.inputs.get(x.origin)):
            pools.append({"eos": {"ids": x.origin, "token": self.one(1, "max_id")}})
        return self.add({"pool": self.one(*pools)}, x.width, 2, x.origin, x.name)

    def decoder(self) -> None:
        """A language model with one stack or two."""
        x = self.embed(self.words())
        for _ in range(self.one(1, 1, 1, 2)):
            x = self.layers(x, "causal", [])
        self.head(self.head(x))

    def encoder(self) -> None:
        """A stack that sees everything, often pooled."""
        x = self.layers(self.embed(self.words()), "full", [])
        self.head(self.head(self.pool(x) if self.odds(0.7) and not self.packed(x) else x))

    def translator(self) -> None:
        """A stack that reads another one."""
        x = self.embed(self.words())
        if self.odds(0.8):
            x = self.layers(x, "full", [])
        y = self.layers(self.embed(self.words()), self.one("causal", "causal", "full"), [x])
        if self.odds(0.2):
            y = self.layers(y, "causal", [x])
        self.head(y)

    def vision(self) -> None:
        """An image, cut into patches or filtered."""
        name, channels = self.name(), self.one(1, 2, 3)
        height, width = self.one((8, 8), (4, 8), (6, 6), (4, 4))
        self.inputs[name] = {"image": [channels, height, width]}
        if self.odds(0.2):
            options = self.some({"bias": True, "dilation": self.one(1, 2)})
            filters = {"kernel": self.one(1, 3, [3, 1]), "dim": 4, **options}
            self.add({"conv": filters}, 4, 4, "", name)
            return
        prefixes = (["cls"], ["cls", {"registers": 2}], ["cls", "dist"], [{"registers": 3}])
        options = {
            "bias": True,
            "prefix": self.one(*prefixes),
            "positions": self.one("learned", "sinusoid"),
            "norm": self.one(*NORMS),
        }
        dim = self.one(4, 6, 12)
        cells = {"size": self.one(2, [2, 1], [1, 2]), "image": [height, width], "dim": dim}
        made = {"patches": {**cells, "channels": channels, **self.some(options)}}
        x = self.add(made, dim, 3, "", name)
        if self.odds(0.8):
            x = self.layers(x, self.one("full", "full", "causal"), [])
        self.head(self.head(self.pool(x) if self.odds(0.7) else x))

    def points(self) -> None:
        """A set of vectors or a sequence of features."""
        name, width = self.name(), self.one(1, 2, 4, 6, 12)
        options = self.some({"padded": True, "max": 16})
        kind = self.one("vectors", "features")
        self.inputs[name] = {kind: {"shape": ["N", self.size(width)], **options}}
        x = self.add(self.mlp(), width, 3, name, name)
        if self.odds(0.3) and width % 2 == 0 and width > 2:
            table = self.one({"learned": 30}, {"sinusoid": {"max": 30}})
            x = self.add({"positions": table}, width, 3, name, x.name)
        x = self.layers(x, self.one("full", "full", "causal"), [])
        self.head(self.pool(x) if self.odds(0.4) else x)

    def wild(self) -> None:
        """Several of these, and nodes that join and read whatever is there."""
        kinds = (self.decoder, self.encoder, self.vision, self.points, self.translator)
        for _ in range(self.random.randint(1, 3)):
            self.one(*kinds)()
        for _ in range(self.random.randint(1, 4)):
            self.join(self.one(*self.edges))

    def join(self, x: Edge) -> None:
        """One more node after `x`."""
        alike = [y for y in self.edges if y.rank == x.rank < 4 and y.origin == x.origin != ""]
        others = [y for y in alike if y != x]
        match self.one("concat", "mean_of", "mlp", "norm", "attention", "cross", "conv"):
            case "concat" if others:
                y = self.one(*others)
                node = {"concat": {}, "in": [x.name, y.name]}
                self.add(node, x.width + y.width, x.rank, x.origin)
            case "mean_of" if fits := [y for y in others if y.width == x.width]:
                node = {"mean_of": {}, "in": [x.name, self.one(*fits).name]}
                self.add(node, x.width, x.rank, x.origin)
            case "attention" if x.rank == 3:
                made = self.attention(x.width, self.one("full", "causal"), [])
                self.add(made, x.width, 3, x.origin, x.name)
            case "cross" if x.rank == 3:
                source = self.one(*[y.name for y in self.edges if y.rank == 3])
                node = {"attention": {"heads": 1, "source": source}}
                self.add(node, x.width, 3, x.origin, x.name)
            case "conv" if x.rank == 3 and x.origin and not (self.padded(x) or self.packed(x)):
                self.add(self.convolution(x.width, self.odds()), x.width, 3, x.origin, x.name)
            case "norm" if x.rank < 4:
                self.add({"norm": self.one(*NORMS)}, x.width, x.rank, x.origin, x.name)
            case _ if x.rank < 4:
                self.add(self.mlp(), x.width, x.rank, x.origin, x.name)


def by_chance(seed: int) -> Tree:
    """The spec of a seed; a few are none, where chance made something that cannot be."""
    return Graph(seed).spec()
