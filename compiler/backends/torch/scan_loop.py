"""The loop over the steps of a scan."""

from archspec.source.frozen import Frozen
from compiler.ir.graph import Graph, Scan, Value
from compiler.ir.types import TensorType


class ScanLoop(Frozen):
    """How the steps of a scan are called.

    Attributes:
        module: the attribute that runs one step (`self.dec`).
        step: the graph of one step.
        states: names of what goes from step to step.
        stacked: names of the lists that gather what is stacked behind the loop.
    """

    module: str
    step: Graph
    scan: Scan
    states: list[str]
    stacked: list[str]

    def lines(self, sequences: list[str], shared: list[str]) -> list[tuple[int, str]]:
        """Statements with their depth: `sequences` are what is cut along time, `shared` the
        rest."""
        ones = [_ending(name, found) for name, found in self._cut()]
        cuts = [f"{sequence}.unbind(dim=1)" for sequence in sequences]
        head = f"{ones[0]} in {cuts[0]}"
        if len(ones) > 1:
            head = f"{', '.join(ones)} in zip({', '.join(cuts)}, strict=True)"
        given = ", ".join([*self.states, *ones, *shared])
        targets = self._targets()
        found = [(0, f"{name} = []") for name in self.stacked]
        found += [
            (0, f"for {head}:"),
            (1, f"{', '.join(targets.values())} = {self.module}({given})"),
        ]
        ends = list(self.step.outputs.values())[self.scan.carried :]
        for name, value in zip(self.stacked, ends, strict=True):
            found.append((1, f"{name}.append({targets[value]})"))
        return found

    def _cut(self) -> list[tuple[str, TensorType]]:
        """The inputs of a step that are positions of sequences."""
        inputs = list(self.step.inputs.items())[self.scan.carried :]
        return [(name, self.step.type(value)) for name, value in inputs[: self.scan.cut]]

    def _targets(self) -> dict[Value, str]:
        """What a step's outputs are assigned to, each once: states keep their names."""
        outputs = list(self.step.outputs.items())
        found: dict[Value, str] = {}
        for (_, value), name in zip(outputs, self.states, strict=False):
            found.setdefault(value, name)
        for name, value in outputs[self.scan.carried :]:
            found.setdefault(value, _ending(name, self.step.type(value)))
        return found


def _ending(name: str, found: TensorType) -> str:
    return f"{name}_{found.suffix}" if found.suffix else name
