"""Places of what a decoder keeps: bound once, past and present of every step."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from compiler.runtime.cuda import Device
from compiler.runtime.replay import NEVER, Replay, run_options
from compiler.runtime.values import bind_input

if TYPE_CHECKING:
    import onnxruntime

    from compiler.runtime.kept import Array, Value
    from compiler.runtime.replay import Shape


class Places:
    """The places of keys and values, which a model reads and writes, and the steps between them.

    Launches that are captured know addresses: they are repeated for as long as nothing moves.

    Attributes:
        values: one for every input of what is kept, by its name.
    """

    def __init__(
        self,
        runtime: "onnxruntime.InferenceSession",
        device: Device,
        pairs: Mapping[str, str],
        values: "Mapping[str, onnxruntime.OrtValue]",
        graphs: "Callable[[], int] | None" = None,
    ) -> None:
        """`pairs` names the output of every input of what is kept, `values` are their places, with
        nothing in them yet. `graphs` gives a number for launches that are captured, None where
        nothing is."""
        self.values = dict(values)
        self._runtime, self._device, self._graphs = runtime, device, graphs
        self._kept = {(past, pairs[past]): value for past, value in self.values.items()}
        self._replay = self._new_replay()
        self._options = None if graphs is None else run_options(NEVER)
        self._binding = runtime.io_binding()
        for (past, present), value in self._kept.items():
            self._binding.bind_ortvalue_input(past, value)
            self._binding.bind_ortvalue_output(present, value)

    def step(self, given: "Mapping[str, Value]", outputs: tuple[str, ...]) -> "tuple[Array, ...]":
        """Each of `outputs` for inputs that go on where the last step ended."""
        for name, value in given.items():
            bind_input(self._binding, name, value)
        for name in outputs:
            self._binding.bind_output(name, "cpu")
        self._runtime.run_with_iobinding(self._binding, self._options)
        found = self._binding.get_outputs()[-len(outputs) :]
        return tuple(each.numpy() for each in found)

    def step_again(
        self, given: "Mapping[str, Value]", outputs: "Mapping[str, Shape]"
    ) -> "tuple[Array, ...]":
        """The same where steps have one shape: from the second one on at places that are there."""
        if not self._replay.fits(given):
            self._replay = self._new_replay()
        return self._replay.step(given, outputs)

    def _new_replay(self) -> Replay:
        number = None if self._graphs is None else self._graphs()
        return Replay(self._runtime, self._device, self._kept, number)
