"""The proof: a spec is compiled, run where it fits, and held against what it promises."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from archspec.load import Source
from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from compiler.ir.target import PORTABLE, Target
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.counts import counts
from compiler.verify.decoding import decoding, position, states
from compiler.verify.examples import example
from compiler.verify.laws import causality, padding
from compiler.verify.leaks import leaks
from compiler.verify.module import build, call
from compiler.verify.parity import parity
from compiler.verify.permutation import order, permutation
from compiler.verify.precision import precision_check
from compiler.verify.rounding import eased
from compiler.verify.shape_names import watching
from compiler.verify.shrink import chosen
from compiler.verify.stepping import stepwise
from compiler.verify.verdict import PARITY, Check, Verdict, failed, skipped

if TYPE_CHECKING:
    from torch import Tensor, nn

NAMES: Final = "names = shapes"


def verify(spec: Spec, *, source: Source = "", set: Sequence[str] = ()) -> Verdict:
    """Everything that is promised about a spec, checked.

    Counts are made at full size on the meta device. A spec above 50 M parameters is run as a
    shrunken sibling, which is read from `source` (the spec's own path where none is given) with
    the patches `set` that the spec was read with. Raises SpecError where shapes do not fit.
    """
    whole = compiled(spec)
    if not isinstance(whole, Compiled):
        raise SpecError(whole)
    found = [*_tried("counts", lambda: counts(whole))]
    run, remark = chosen(whole, source or spec.path, tuple(set))
    if run is None:
        return Verdict(
            spec.name, (*found, skipped(PARITY, remark)), whole.parameters, remark=remark
        )
    model = build(run.made.generated, program=run.made.fused)
    found += _ran(run.made, model)
    return Verdict(spec.name, tuple(found), whole.parameters, run.patches, remark)


def agreement(
    spec: Spec,
    *,
    source: Source = "",
    set: Sequence[str] = (),
    target: Target = PORTABLE,
    state: "Callable[[], Mapping[str, Tensor]] | None" = None,
) -> Check:
    """What a build ends with: ONNX Runtime against torch; arguments are as of `verify`.

    What `target` rounds may be as far off as its precision is allowed to be, with the weights of
    `model.py` that `state` gives where the spec is run at full size, else with drawn ones.
    """
    whole = compiled(spec)
    if not isinstance(whole, Compiled):
        raise SpecError(whole)
    run, remark = chosen(whole, source or spec.path, tuple(set))
    if run is None:
        return skipped(PARITY, remark)
    made = run.made
    model = build(made.generated, program=made.fused)
    if target.rounds:
        given = state if not run.patches else None
        (check,) = _tried(PARITY, lambda: [_rounded(made, model, target, given)])
        kind = "drawn weights" if given is None else "weights as given"
        return replace(check, reason=f"{check.reason}, {kind}; {remark}")
    (check,) = _tried(PARITY, lambda: [parity(made, model, target)])
    check = eased(check, made, model)
    return replace(check, reason=remark) if check.ok else check


def _rounded(
    made: Compiled,
    model: "nn.Module",
    target: Target,
    state: "Callable[[], Mapping[str, Tensor]] | None",
) -> Check:
    if state is not None:
        model.load_state_dict(state(), strict=True)
    return precision_check(made, model, target, drawn=state is None)


def _ran(made: Compiled, model: "nn.Module") -> Iterable[Check]:
    asked: dict[str, Callable[[], Iterable[Check]]] = {
        PARITY: lambda: [parity(made, model)],
        "decoding": lambda: [(stepwise if made.program.stepped else decoding)(made, model)],
        "causality": lambda: [causality(made, model)],
        "leaks": lambda: [leaks(made, model)],
        "padding": lambda: [padding(made, model)],
        "permutation": lambda: [permutation(made, model)],
        "order": lambda: [order(made, model)],
        NAMES: lambda: [shape_names(made, model)],
    }
    for name, ask in asked.items():
        yield from (eased(check, made, model) for check in _tried(name, ask))


def shape_names(made: Compiled, model: "nn.Module") -> Check:
    """Every tensor's name against its shape: as trained, and as decoded with a cache."""
    import torch

    given = example(made.spec, made.program, 2, 9)
    with torch.no_grad(), watching(made.generated.name) as watch:
        call(model.train(), given.values)
        if made.program.grown:
            call(model, {**given.values, **states(made, given, 3), position(made): 0})
    model.eval()
    return watch.check(NAMES)


def _tried(name: str, ask: Callable[[], Iterable[Check]]) -> Iterable[Check]:
    """Checks, or one failure to make them: a proof that breaks off is none; the others go on."""
    try:
        return list(ask())
    except Exception as error:
        said = str(error).strip().split("\n")[0]
        return [failed(name, f"{type(error).__name__}: {said}")]
