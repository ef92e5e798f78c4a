"""ONNX Runtime against generated PyTorch: the same weights, several batch sizes and lengths."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx import emit
from compiler.importers.lazy import Lazy
from compiler.ir.program import Program
from compiler.runtime.session import Session, open_session
from compiler.verify.compiled import Compiled
from compiler.verify.difference import apart
from compiler.verify.examples import LENGTHS, Example, example
from compiler.verify.module import call
from compiler.verify.verdict import PARITY, Check, at_most

if TYPE_CHECKING:
    from torch import Tensor, nn

BAR: Final = 1e-5


def parity(made: Compiled, model: "nn.Module") -> Check:
    """The largest difference of any output over `LENGTHS`, with padding in one row if it can be."""
    import torch

    with tempfile.TemporaryDirectory(prefix="archc-verify-") as folder:
        session = onnx_session(made.whole, model, Path(folder))
        worst = 0.0
        for seed, (batch, length) in enumerate(LENGTHS):
            given = example(made.spec, made.program, batch, length, seed=seed)
            with torch.no_grad():
                wanted = call(model, given.values)
            worst = max(worst, apart(run(session, given), wanted))
    rows = ", ".join(f"{batch} by {length}" for batch, length in LENGTHS)
    return at_most(PARITY, worst, BAR, f"at {rows}" if _has_length(made.whole) else "")


def onnx_session(whole: Program, model: "nn.Module", folder: Path) -> Session:
    """ONNX Runtime on the CPU with a module's weights; `whole` is in the full-sequence form."""
    emit(whole, lazy_weights(model.state_dict()), folder)
    return open_session(folder, device="cpu")


def run(session: Session, given: Example) -> "tuple[Tensor, ...]":
    """The outputs of ONNX Runtime as tensors."""
    import torch

    inputs = {name: value.numpy() for name, value in given.values.items() if name in session.inputs}
    return tuple(torch.from_numpy(found) for found in session.run(inputs).values())


def lazy_weights(state: "Mapping[str, Tensor]") -> dict[str, Lazy]:
    """A state dict as sources of weights."""
    return {name: _lazy(tensor) for name, tensor in state.items()}


def _lazy(tensor: "Tensor") -> Lazy:
    array = tensor.detach().float().contiguous().numpy()
    return Lazy(tuple(array.shape), "F32", lambda: array)


def _has_length(program: Program) -> bool:
    roles = {known.role for known in program.key.key.values() if known.size is None}
    return bool(roles - {"batch"})
