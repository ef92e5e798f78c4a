"""ONNX Runtime against generated PyTorch: the same weights, several batch sizes and lengths."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx import emit
from compiler.importers.lazy import Lazy
from compiler.ir.program import Program
from compiler.ir.target import PORTABLE, Target
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.compiled import Compiled
from compiler.verify.decoding import BATCH, LENGTH, crossed, grows, piece
from compiler.verify.difference import apart
from compiler.verify.examples import LENGTHS, Example, example
from compiler.verify.module import call
from compiler.verify.verdict import PARITY, Check, at_most

if TYPE_CHECKING:
    from torch import Tensor, nn

    from compiler.importers.lazy import Array

BAR: Final = 1e-5


def parity(made: Compiled, model: "nn.Module", target: Target = PORTABLE) -> Check:
    """The largest difference of any output over `LENGTHS`, with padding in one row if it can be.

    A decoder's outputs are compared in pieces too, which hand on what it keeps.
    """
    with tempfile.TemporaryDirectory(prefix="archc-verify-") as folder:
        session = onnx_session(made.files, model, Path(folder), target)
        worst = max(apart(*both) for both in outputs(made, model, session))
        if session.past:
            worst = max(worst, _in_pieces(made, model, session))
    rows = ", ".join(f"{batch} by {length}" for batch, length in LENGTHS)
    return at_most(PARITY, worst, BAR, f"at {rows}" if _has_length(made.program) else "")


def outputs(
    made: Compiled, model: "nn.Module", session: Session
) -> "Iterator[tuple[list[Tensor], list[Tensor]]]":
    """What ONNX Runtime and PyTorch give at each of `LENGTHS`."""
    import torch

    for seed, (batch, length) in enumerate(LENGTHS):
        given = example(made.spec, made.program, batch, length, seed=seed)
        with torch.no_grad():
            wanted = call(model, given.values)
        found = run(session, given)
        yield _real(made, session, given, found), _real(made, session, given, wanted)


def _real(
    made: Compiled, session: Session, given: Example, outputs: "Sequence[Tensor]"
) -> "list[Tensor]":
    """Outputs without padding, where a decoder counts its rows: there they mean nothing."""
    mask = given.values.get(f"{made.program.grown}_mask")
    if mask is None or not session.shares:
        return list(outputs)
    return [found[mask] if found.shape[:2] == mask.shape else found for found in outputs]


def _in_pieces(made: Compiled, model: "nn.Module", session: Session) -> float:
    """How far outputs in pieces, each with what the one before has kept, are from all at once."""
    import torch

    batch = 1 if session.shares else BATCH  # what counts its rows takes some positions of one row
    given = example(made.spec, made.program, batch, LENGTH)
    length = given.values[made.head].shape[1]
    if crossed(made.program, length):
        return 0.0
    grown = grows(made)
    with torch.no_grad():
        wanted = [call(model, given.values)[i] for i in grown]
    pieces, past, start = [], None, 0
    for cut in (length // 2, 1, length - length // 2 - 1):
        if cut:
            step = piece(made, given.values, start, start + cut)
            known = _known(session, step, start + cut)
            outputs, past = session.step(known, past)
            pieces.append([torch.from_numpy(found) for found in outputs.values()])
        start += cut
    joined = [torch.cat([each[i] for each in pieces], dim=1) for i in grown]
    return apart(*(_real(made, session, given, each) for each in (joined, wanted)))


def onnx_session(
    files: Mapping[str, Program], model: "nn.Module", folder: Path, target: Target = PORTABLE
) -> Session:
    """ONNX Runtime on the CPU with a module's weights; `files` give outputs of all positions."""
    emit(files, lazy_weights(model.state_dict()), folder, target=target)
    return open_session(folder, device="cpu")


def run(session: Session, given: Example) -> "tuple[Tensor, ...]":
    """The outputs of ONNX Runtime as tensors."""
    import torch

    inputs = _known(session, given.values)
    return tuple(torch.from_numpy(found) for found in session.run(inputs).values())


def _known(
    session: Session, values: "Mapping[str, Tensor]", seen: int | None = None
) -> "dict[str, Array]":
    """What a session takes of some values, with a mask of all `seen` positions where it counts
    them and the program has none."""
    import numpy as np

    found = {name: value.numpy() for name, value in values.items() if name in session.inputs}
    for name in session.inputs:
        ids = name.removesuffix("_mask")
        if name not in found and name != ids and ids in found:
            batch, new = found[ids].shape
            found[name] = np.ones((batch, new if seen is None else seen), bool)
    return found


def lazy_weights(state: "Mapping[str, Tensor]") -> dict[str, Lazy]:
    """A state dict as sources of weights."""
    return {name: _lazy(tensor) for name, tensor in state.items()}


def _lazy(tensor: "Tensor") -> Lazy:
    array = tensor.detach().float().contiguous().numpy()
    return Lazy(tuple(array.shape), "F32", lambda: array)


def _has_length(program: Program) -> bool:
    roles = {known.role for known in program.key.key.values() if known.size is None}
    return bool(roles - {"batch"})
