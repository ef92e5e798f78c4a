"""State dicts that torch saved: read through torch itself, tensors only, nothing executed."""

import errno
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from archspec.source.diagnostic import Diagnostic
from compiler.importers.lazy import Lazy
from compiler.importers.printable import printable
from compiler.importers.problem import about_file

if TYPE_CHECKING:
    from torch import Tensor

    from compiler.importers.lazy import Array

WRAPPERS = ("state_dict", "model_state_dict", "model")
"""Keys under which trainers put the state dict among other things."""

TYPES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
}


def open_pickled(path: Path) -> dict[str, Lazy] | tuple[Diagnostic, ...]:
    """The tensors of a .pt, .pth or .bin file, mapped and not copied where torch can.

    Raises OSError where the file cannot be read.
    """
    held = _load(path)
    if isinstance(held, Diagnostic):
        return (held,)
    state = _state(held)
    if state is None:
        message = f"`{path.name}` does not hold a state dict"
        hint = "save one with `torch.save(model.state_dict(), path)`"
        return (about_file("AR0705", path, message, f"it holds a {type(held).__name__}", hint),)
    foreign = {name: kind for name, tensor in state.items() if (kind := _unsupported(tensor))}
    if foreign:
        name, kind = next(iter(foreign.items()))
        message = f"`{path.name}` holds a type that is not supported"
        return (about_file("AR0706", path, message, f"`{printable(name)}` is {kind}"),)
    return {name: _lazy(tensor) for name, tensor in state.items()}


def _load(path: Path) -> Any:
    import warnings
    import zipfile

    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch, about what it then reads or refuses
            return torch.load(
                path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path) or None
            )
    except pickle.UnpicklingError as error:
        if "Unsupported" not in str(error) and "weights_only" not in str(error).lower():
            return _damaged(path, error)
        hint = "save one with `torch.save(model.state_dict(), path)`; code in a file is never run"
        message = f"`{path.name}` holds more than tensors"
        return about_file("AR0705", path, message, "reading it would run code", hint)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a place before the beginning, of a file that was cut
            raise
        return _damaged(path, error)
    except Exception as error:  # torch's reader has no error type of its own
        return _damaged(path, error)


def _damaged(path: Path, error: Exception) -> Diagnostic:
    reason = printable(str(error).split("\n", 1)[0]) or type(error).__name__
    hint = "the download may be incomplete; fetch the file again"
    return about_file("AR0703", path, f"`{path.name}` is damaged", f"torch says: {reason}", hint)


def _state(held: Any) -> dict[str, "Tensor"] | None:
    """The state dict in `held`: itself, or what stands under one of the trainers' keys."""
    import torch

    if not isinstance(held, Mapping):
        return None
    if held and all(isinstance(value, torch.Tensor) for value in held.values()):
        return {str(name): tensor for name, tensor in held.items()}
    inner = next((held[key] for key in WRAPPERS if isinstance(held.get(key), Mapping)), None)
    return None if inner is None else _state(inner)


def _unsupported(tensor: "Tensor") -> str:
    import torch

    if tensor.layout is not torch.strided or tensor.is_quantized:
        return "sparse or quantised"
    if tensor.is_meta:
        return "a shape without numbers (a tensor of the meta device)"
    kind = str(tensor.dtype).removeprefix("torch.")
    return "" if kind in TYPES else kind


def _lazy(tensor: "Tensor") -> Lazy:
    import torch

    kept = tensor.detach()

    def load() -> "Array":
        words = kept.view(torch.uint16) if kept.dtype is torch.bfloat16 else kept
        return words.numpy()

    return Lazy(tuple(kept.shape), TYPES[str(kept.dtype).removeprefix("torch.")], load)
