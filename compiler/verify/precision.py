"""What a precision costs: the outputs of ONNX Runtime in it against PyTorch in float32."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from archspec.source.frozen import Frozen
from compiler.ir.target import Target
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build
from compiler.verify.parity import onnx_session, outputs
from compiler.verify.verdict import Check, Verdict, at_most

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

LOSSES: Final[Mapping[str, float]] = {"int8": 0.15, "int4": 0.5}
"""How far outputs may be off where nobody says: in int8 by what a mean cosine of 0.99 comes to, in
int4 by what drawn weights lose, the worst case of rounding."""

EXACT: Final = 1e-5
"""The same for matrices of floats."""


class Deviation(Frozen):
    """How far outputs are off: relative to their size, and the mean cosine of their vectors."""

    relative: float
    cosine: float


def loss_of(target: Target, asked: float | None) -> float:
    """The deviation that is allowed on a target."""
    if asked is not None:
        return asked
    kinds = {
        target.precision,
        *(f"int{each.integers.bits}" for each in target.choices if each.integers),
    }
    return max(LOSSES.get(kind, EXACT) for kind in kinds)


def verify_precision(
    spec: Spec,
    target: Target,
    state: "Mapping[str, torch.Tensor] | None" = None,
    loss: float | None = None,
) -> Verdict:
    """One check of a spec at full size: its outputs on a target against PyTorch in float32.

    With the weights `state` of `model.py`, else with drawn ones; `loss` is the relative deviation
    that is allowed. Raises SpecError where shapes do not fit.
    """
    whole = compiled(spec)
    if not isinstance(whole, Compiled):
        raise SpecError(whole)
    model = build(whole.generated)
    if state is not None:
        model.load_state_dict(state, strict=True)
    kind = "weights as given" if state is not None else "drawn weights"
    check = precision_check(whole, model, target, loss)
    return Verdict(spec.name, (check,), whole.parameters, remark=f"run at full size, {kind}")


def precision_check(
    made: Compiled, model: "nn.Module", target: Target, loss: float | None = None
) -> Check:
    """The deviation of all outputs together, held against what is allowed."""
    found = deviation(made, model, target)
    name = f"{target.provider} {target.precision} = torch"
    reason = f"mean cosine {found.cosine:.5f}"
    return at_most(name, found.relative, loss_of(target, loss), reason, "of the outputs' size")


def deviation(made: Compiled, model: "nn.Module", target: Target) -> Deviation:
    """Outputs of float type on the CPU against PyTorch's."""
    with tempfile.TemporaryDirectory(prefix="archc-verify-") as folder:
        session = onnx_session(made.files, model, Path(folder), target)
        pairs = [
            (one, other)
            for both in outputs(made, model, session)
            for one, other in zip(*both, strict=True)
            if other.is_floating_point()
        ]
    return deviation_of(pairs)


def deviation_of(pairs: "Sequence[tuple[Tensor, Tensor]]") -> Deviation:
    """How far the first tensors of pairs are from the second ones."""
    import torch

    lost = sum(float((a.double() - b.double()).square().sum()) for a, b in pairs)
    whole = sum(float(b.double().square().sum()) for _, b in pairs)
    cosines = [
        torch.cosine_similarity(a.double(), b.double(), dim=-1).flatten()
        for a, b in pairs
        if a.dim()
    ]
    cosine = float(torch.cat(cosines).mean()) if cosines else 1.0
    relative = (lost / whole) ** 0.5 if whole else float(lost > 0)
    return Deviation(relative if relative == relative else float("inf"), cosine)
