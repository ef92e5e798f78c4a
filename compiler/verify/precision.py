"""What a precision costs: the outputs of ONNX Runtime in it against PyTorch in float32."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from compiler.ir.target import Target
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.deviation import Deviation, deviation_of
from compiler.verify.integer_rounding import eased_loss, fewest_bits
from compiler.verify.module import build
from compiler.verify.parity import onnx_session, outputs
from compiler.verify.verdict import Check, Verdict, at_most

if TYPE_CHECKING:
    import torch
    from torch import nn

LOSSES: Final[Mapping[int, float]] = {8: 0.15, 4: 0.5}
"""How far outputs may be off where nobody says, by bits: in 8 by what a mean cosine of 0.99 comes
to, in 4 by what drawn weights lose, the worst case of rounding."""

EXACT: Final = 1e-5
"""The same for matrices of floats."""


def loss_of(target: Target, asked: float | None) -> float:
    """The deviation that is allowed on a target."""
    if asked is not None:
        return asked
    found = fewest_bits(target)
    return EXACT if found is None else LOSSES[found]


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
    model = build(whole.generated, program=whole.fused)
    if state is not None:
        model.load_state_dict(state, strict=True)
    kind = "weights as given" if state is not None else "drawn weights"
    check = precision_check(whole, model, target, loss, drawn=state is None)
    return Verdict(spec.name, (check,), whole.parameters, remark=f"run at full size, {kind}")


def precision_check(
    made: Compiled,
    model: "nn.Module",
    target: Target,
    loss: float | None = None,
    *,
    drawn: bool = False,
) -> Check:
    """The deviation of all outputs together, held against what is allowed: `loss`, else the bar of
    the precision, for `drawn` weights eased where rounding alone costs as much."""
    found = deviation(made, model, target)
    name = f"{target.provider} {target.precision} = torch"
    reason = f"mean cosine {found.cosine:.5f}"
    bar = loss_of(target, loss)
    check = at_most(name, found.relative, bar, reason, "of the outputs' size")
    return eased_loss(check, made, model, target) if drawn and loss is None else check


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
