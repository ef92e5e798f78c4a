"""What a precision costs: the outputs of ONNX Runtime in it against PyTorch in float32."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from archspec.load import Source
from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from compiler.answer import CannotAnswer
from compiler.ir.target import Target
from compiler.report.device.this import room
from compiler.report.numbers import grouped, memory
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.deviation import Deviation, deviation_of
from compiler.verify.integer_rounding import eased_loss, fewest_bits
from compiler.verify.module import build
from compiler.verify.parity import onnx_session, outputs
from compiler.verify.shrink import FULL, chosen
from compiler.verify.verdict import Check, Verdict, at_most, skipped

if TYPE_CHECKING:
    import torch
    from torch import nn

LOSSES: Final[Mapping[int, float]] = {8: 0.15, 4: 0.5}
"""How far outputs may be off where nobody says, by bits: in 8 by what a mean cosine of 0.99 comes
to, in 4 by what drawn weights lose, the worst case of rounding."""

EXACT: Final = 1e-5
"""The same for matrices of floats."""

COPIES: Final = 3
"""The weights as given, those of the module and those of ONNX Runtime."""


def loss_of(target: Target, asked: float | None) -> float:
    """The deviation that is allowed on a target."""
    if asked is not None:
        return asked
    found = fewest_bits(target)
    return EXACT if found is None else LOSSES[found]


def verify_precision(
    spec: Spec,
    target: Target,
    state: "Callable[[], Mapping[str, torch.Tensor]] | None" = None,
    loss: float | None = None,
    *,
    source: Source = "",
    set: Sequence[str] = (),
) -> Verdict:
    """One check of a spec: its outputs on a target against PyTorch in float32.

    At full size with the weights of `model.py` that `state` gives, else with drawn ones, of a spec
    too large to run as a sibling, as in `verify`; `loss` is the relative deviation that is allowed.
    Raises SpecError where shapes do not fit and CannotAnswer where memory is too small.
    """
    whole = compiled(spec)
    if not isinstance(whole, Compiled):
        raise SpecError(whole)
    if state is not None:
        check_room(whole.parameters, room())
        model = build(whole.generated, program=whole.fused)
        model.load_state_dict(state(), strict=True)
        check = precision_check(whole, model, target, loss)
        return Verdict(spec.name, (check,), whole.parameters, remark=f"{FULL}, weights as given")
    run, remark = chosen(whole, source or spec.path, tuple(set))
    if run is None:
        unseen = (skipped(_name(target), remark),)
        return Verdict(spec.name, unseen, whole.parameters, remark=remark)
    model = build(run.made.generated, program=run.made.fused)
    check = precision_check(run.made, model, target, loss, drawn=True)
    remark = f"{remark}, drawn weights"
    return Verdict(spec.name, (check,), whole.parameters, run.patches, remark)


def check_room(parameters: int, most: int) -> None:
    """Raises CannotAnswer where all copies of the weights in float32 are more than `most` bytes."""
    needed = COPIES * 4 * parameters
    if needed > most:
        raise CannotAnswer(
            f"{grouped(parameters)} parameters in torch and in ONNX Runtime side by side take "
            f"{memory(needed)} of memory, and there are {memory(most)}",
            "leave out `--weights`: a smaller sibling with drawn weights is run then",
        )


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
    name = _name(target)
    reason = f"mean cosine {found.cosine:.5f}"
    bar = loss_of(target, loss)
    check = at_most(name, found.relative, bar, reason, "of the outputs' size")
    return eased_loss(check, made, model, target) if drawn and loss is None else check


def _name(target: Target) -> str:
    return f"{target.provider} {target.precision} = torch"


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
