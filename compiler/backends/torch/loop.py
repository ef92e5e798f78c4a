"""The loop over the layers of a stack."""

from dataclasses import field

from archspec.source.frozen import Frozen
from compiler.backends.torch.constants import Constants
from compiler.ir.graph import Repeat


class Loop(Frozen):
    """How the layers of a repeat are called.

    Attributes:
        module: the list of modules (`self.h`).
        whole: whether the repeat is the whole list.
        count: its number of layers as Python.
        inputs: names of the node's inputs, the carried one first.
        cut: for inputs with a slice a layer, the name of the slice.
        summed: what layers that share weights add to in training, below the first of them.
        beside: a list with more tensors for each layer; empty for none.
    """

    module: str
    repeat: Repeat
    whole: bool
    count: str
    inputs: list[str]
    cut: dict[int, str]
    summed: list[str] = field(default_factory=list)
    beside: str = ""

    def lines(self, carried: str, sources: list[str]) -> list[tuple[int, str]]:
        """A loop over modules where all are called alike, else over rounds; `sources` are the uncut
        names."""
        if self.repeat.layers == len(self.repeat.bodies) and not self.repeat.share:
            return self._unrolled(carried, sources)
        if self.repeat.share or len(set(self.repeat.wires)) == 1:
            return self._over_layers(carried, sources)
        return self._over_rounds(carried, sources)

    def _unrolled(self, carried: str, sources: list[str]) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        for body in range(len(self.repeat.bodies)):
            at = str(self.repeat.start + body)
            found += [(0, f"{name} = {_cut(sources[port], at)}") for port, name in self.cut.items()]
            found.append((0, self._call(carried, body, f"{self.module}[{at}]", at)))
        return found

    def _over_layers(self, carried: str, sources: list[str]) -> list[tuple[int, str]]:
        start = self.repeat.start
        block = f"{self.module}[0]" if self.repeat.share else "block"
        counted = self.cut or self.beside
        if self.repeat.share:
            head = f"for {'layer' if counted else '_'} in range({self.count}):"
        else:
            part = (
                self.module
                if self.whole
                else f"{self.module}[{start}:{start + self.repeat.layers}]"
            )
            first = f", {start}" if start else ""
            head = (
                f"for layer, block in enumerate({part}{first}):"
                if counted
                else f"for block in {part}:"
            )
        cuts = [(1, f"{name} = {_cut(sources[port], 'layer')}") for port, name in self.cut.items()]
        zero = [(1, f"{block}.{name} = {carried}.new_zeros(())") for name in self.summed]
        start_at_zero = [(0, "if self.training:"), *zero] if zero else []
        return [*start_at_zero, (0, head), *cuts, (1, self._call(carried, 0, block, "layer"))]

    def _over_rounds(self, carried: str, sources: list[str]) -> list[tuple[int, str]]:
        start, step = self.repeat.start, len(self.repeat.bodies)
        found = [(0, f"for layer in range({start}, {start + self.repeat.layers}, {step}):")]
        for body in range(step):
            at = f"layer + {body}" if body else "layer"
            found += [(1, f"{name} = {_cut(sources[port], at)}") for port, name in self.cut.items()]
            found.append((1, self._call(carried, body, f"{self.module}[{at}]", at)))
        return found

    def _call(self, carried: str, body: int, block: str, at: str) -> str:
        arguments = [self.cut.get(port, self.inputs[port]) for port in self.repeat.wires[body]]
        arguments += [f"*{self.beside}[{at}]"] if self.beside else []
        return f"{carried} = {block}({', '.join(arguments)})"


def layer_count(constants: Constants, repeat: Repeat) -> str:
    """The number of layers of a repeat: the letter L where it is all of them, else a number."""
    for name, known in constants.key.key.items():
        if known.role == "layers" and known.size == repeat.layers and repeat.start == 0:
            constants.used.add(name)
            return name
    return str(repeat.layers)


def _cut(whole: str, at: str) -> str:
    return f"None if {whole} is None else {whole}[{at}]"
