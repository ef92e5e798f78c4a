"""Steps of one shape on a device, each with its inputs and outputs where the last one had them."""

from collections.abc import Callable, Mapping
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final, TypeAlias

from compiler.runtime.cuda import Device
from compiler.runtime.values import placed, room

if TYPE_CHECKING:
    import onnxruntime

    from compiler.runtime.kept import Array, Value

    Shape: TypeAlias = tuple[tuple[int, ...], str]

GRAPH: Final = "gpu_graph_id"
"""The setting of a run: which captured launches it repeats, or captures where there are none."""
NEVER: Final = -1
MOST: Final = 32
"""How many launches a session captures: it frees none of them before its own end."""


def graph_numbers() -> Callable[[], int]:
    """A function that gives a number for further launches each time, `NEVER` after `MOST`."""
    return chain(range(1, MOST + 1), repeat(NEVER)).__next__


def run_options(graph: int) -> "onnxruntime.RunOptions":
    """The settings of a run that captures and repeats as `graph`, or `NEVER`."""
    import onnxruntime

    found = onnxruntime.RunOptions()
    found.add_run_config_entry(GRAPH, str(graph))
    return found


class Replay:
    """Steps that differ in numbers alone.

    Captured launches know addresses and not names: whatever a step reads or writes has one place
    for as long as this lives, and new numbers are copied there.
    """

    def __init__(
        self,
        runtime: "onnxruntime.InferenceSession",
        device: Device,
        kept: "Mapping[tuple[str, str], onnxruntime.OrtValue]",
        graph: int | None,
    ) -> None:
        """`kept` has the place of each input of what is kept and of its output; `graph` is a number
        that no other steps of the session have, None where nothing is captured."""
        self._runtime, self._device = runtime, device
        self._options = None if graph is None else run_options(graph)
        self._binding = runtime.io_binding()
        self._inputs: dict[str, onnxruntime.OrtValue] = {}
        self._outputs: dict[str, onnxruntime.OrtValue] = {}
        for (past, present), value in kept.items():
            self._binding.bind_ortvalue_input(past, value)
            self._binding.bind_ortvalue_output(present, value)

    def fits(self, given: "Mapping[str, Value]") -> bool:
        """Whether a step on these inputs can be one of this; always the first one."""
        import numpy as np

        return not self._inputs or all(
            tuple(self._inputs[name].shape()) == value.shape
            if isinstance(value, np.ndarray)
            else self._inputs[name] is value
            for name, value in given.items()
        )

    def step(
        self, given: "Mapping[str, Value]", outputs: "Mapping[str, Shape]"
    ) -> "tuple[Array, ...]":
        """Each of `outputs`, in its shape and kind of number, for inputs that `fits` takes."""
        if not self._inputs:
            self._bind(given, outputs)
        for name, value in given.items():
            if self._inputs[name] is not value:
                self._inputs[name].update_inplace(value)
        self._runtime.run_with_iobinding(self._binding, self._options)
        found = (self._outputs[name].numpy() for name in outputs)
        # The next step writes there; from a device it is a copy anyway.
        return tuple(each.copy() if self._device == "cpu" else each for each in found)

    def _bind(self, given: "Mapping[str, Value]", outputs: "Mapping[str, Shape]") -> None:
        import numpy as np

        for name, value in given.items():
            place = placed(value.copy(), self._device) if isinstance(value, np.ndarray) else value
            self._inputs[name] = place
            self._binding.bind_ortvalue_input(name, place)
        for name, (shape, kind) in outputs.items():
            self._outputs[name] = room(shape, kind, self._device)
            self._binding.bind_ortvalue_output(name, self._outputs[name])
