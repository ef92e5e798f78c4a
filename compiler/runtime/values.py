"""Values of ONNX Runtime: numbers that stay on a device from run to run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx.listing import Element
from compiler.runtime.cuda import Device

if TYPE_CHECKING:
    import onnxruntime

    from compiler.runtime.kept import Array, Value

BFLOAT16: Final = Element.bfloat16.name
CODE: Final = int(Element.bfloat16)
"""Its number in ONNX; numpy has no such type."""


def bytes_of(kind: str) -> int:
    """Bytes of a number."""
    import numpy as np

    return 2 if kind == BFLOAT16 else np.dtype(kind).itemsize


def room(shape: Sequence[int], kind: str, device: Device) -> "onnxruntime.OrtValue":
    """Memory of a device; what is in it is left open. Raises MemoryError where there is none."""
    import onnxruntime

    element = CODE if kind == BFLOAT16 else _numpy(kind)
    try:
        return onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(shape), element, device, 0)
    except RuntimeError as error:
        raise MemoryError(str(error)) from error


def zeros(shape: Sequence[int], kind: str, device: Device) -> "onnxruntime.OrtValue":
    """Zeros on a device; raises MemoryError where there is no room for them."""
    import numpy as np
    import onnxruntime

    if device != "cpu":
        made = room(shape, kind, device)
        clear(made, kind)
        return made
    numbers = np.zeros(shape, np.uint16 if kind == BFLOAT16 else kind)
    if kind == BFLOAT16:
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(numbers, CODE)
    return onnxruntime.OrtValue.ortvalue_from_numpy(numbers)


def clear(value: "onnxruntime.OrtValue", kind: str) -> None:
    """Zeros in place of whatever a value holds."""
    import numpy as np

    value.update_inplace(np.zeros(value.shape(), np.uint16 if kind == BFLOAT16 else kind))


def placed(array: "Array", device: Device) -> "onnxruntime.OrtValue":
    """An array's numbers on a device."""
    import onnxruntime

    return onnxruntime.OrtValue.ortvalue_from_numpy(array, device, 0)


def bind_input(binding: "onnxruntime.IOBinding", name: str, value: "Value") -> None:
    """Have a run read an input where it is, on the host or on a device."""
    import numpy as np

    if isinstance(value, np.ndarray):
        binding.bind_cpu_input(name, value)
    else:
        binding.bind_ortvalue_input(name, value)


def _numpy(kind: str) -> "type[Array]":
    import numpy as np

    found: type[Array] = np.dtype(kind).type
    return found
