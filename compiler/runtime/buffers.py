"""What a decoder keeps in buffers of one length: bound once, past and present of every step."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnxruntime

    from compiler.runtime.cuda import Device
    from compiler.runtime.kept import Array


class Buffers:
    """The keys and values of some sequences, which a model reads and writes in place.

    Attributes:
        length: how many positions of a sequence there is room for.
        values: one buffer for every input of what is kept, by its name.
    """

    def __init__(
        self,
        runtime: "onnxruntime.InferenceSession",
        device: "Device",
        pairs: Mapping[str, str],
        zeros: "Mapping[str, Array]",
        length: int,
    ) -> None:
        """`pairs` names the output of every input of what is kept, `zeros` are their beginnings."""
        import onnxruntime

        self.length = length
        self.values = {
            past: onnxruntime.OrtValue.ortvalue_from_numpy(each, device, 0)
            for past, each in zeros.items()
        }
        self._runtime, self._binding = runtime, runtime.io_binding()
        for past, present in pairs.items():
            self._binding.bind_ortvalue_input(past, self.values[past])
            self._binding.bind_ortvalue_output(present, self.values[past])

    def step(self, given: "Mapping[str, Array]", outputs: tuple[str, ...]) -> "tuple[Array, ...]":
        """Each of `outputs` for inputs that go on where the last step ended."""
        for name, array in given.items():
            self._binding.bind_cpu_input(name, array)
        for name in outputs:
            self._binding.bind_output(name, "cpu")
        self._runtime.run_with_iobinding(self._binding)
        found = self._binding.get_outputs()[-len(outputs) :]
        return tuple(each.numpy() for each in found)
