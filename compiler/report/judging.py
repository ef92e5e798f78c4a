"""Judge limits: each at the lengths, in the setting and on the device that its key names."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from archspec.model.budget import FITS, Limit
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, Label, SpecError
from archspec.source.suggest import did_you_mean, listed
from compiler.answer import CannotAnswer
from compiler.ir.program import Program
from compiler.passes.choosing import chosen
from compiler.passes.cost import Costs
from compiler.passes.cost_lengths import lengths, letters_said
from compiler.passes.metrics import METRICS, exact
from compiler.passes.setting import CHOICES, Setting
from compiler.report.budget import Verdict
from compiler.report.lacking import lacking

KINDS: Final = {"kernel": "kind of kernel", "recompute": "way to recompute"}
Said = tuple[str, Limit]


def judge(
    program: Program, costs: Costs, spec: Spec, more: Iterable[Said] = ()
) -> tuple[Verdict, ...] | tuple[Diagnostic, ...]:
    """A verdict for every limit of the spec and for `more`, or what makes them impossible to judge.

    A limit is judged at the sizes and in the setting that it names, others at their defaults: what
    a command asks to be counted changes no verdict.
    """
    limits = [*spec.budget.items(), *more]
    judged = [_judged(program, costs, spec, said, limit) for said, limit in limits]
    wrong = tuple(
        problem for found in judged if not isinstance(found, Verdict) for problem in found
    )
    return wrong or tuple(found for found in judged if isinstance(found, Verdict))


def _judged(
    program: Program, costs: Costs, spec: Spec, said: str, limit: Limit
) -> Verdict | tuple[Diagnostic, ...]:
    metric = METRICS.get(limit.metric)
    if metric is None:
        hint = did_you_mean(limit.metric, METRICS) or "`archc cost --json` has them all"
        message = f"nothing that is counted is called `{limit.metric}`"
        return (Diagnostic("AR0811", message, Label(limit.span, hint)),)
    if not metric.present(costs):
        return (_uncounted(costs, limit),)
    setting = _setting(limit)
    if isinstance(setting, Diagnostic):
        return (setting,)
    asked = {name: size for name, size in limit.at.items() if isinstance(size, int)}
    at = lengths(program, costs, spec.inputs, asked)
    if not isinstance(at, dict):
        return tuple(
            replace(problem, code="AR0812", primary=Label(limit.span, problem.primary.text))
            for problem in at
        )
    size = metric.formula(costs, setting)
    found = Verdict(
        said=said,
        limit=limit,
        at=letters_said(costs, at),
        setting=setting,
        most=0 if limit.limit == FITS else limit.limit,
        value=exact(costs, size, at),
        size=size,
        sizes={**costs.key.sizes, **at},
    )
    return _on_device(found) if {"device", "reserve"} & set(limit.at) else found


def _uncounted(costs: Costs, limit: Limit) -> Diagnostic:
    reason, help_ = lacking(costs, limit.metric)
    message = f"`{limit.metric}` is not known for this model"
    return Diagnostic("AR0811", message, Label(limit.span, reason), help=help_)


def _setting(limit: Limit) -> Setting | Diagnostic:
    """The setting that a limit names."""
    said = {name: str(word) for name, word in limit.at.items() if name in (*CHOICES, "target")}
    try:
        found = chosen(**said, option="")
    except CannotAnswer as error:
        return _unusable(limit, error.message, error.help)
    for name, known in CHOICES.items():
        word = getattr(found, name)
        if word not in known:
            there = f"there are {listed(known, 'and')}"
            message = f"no {KINDS.get(name, name)} is called `{word}`"
            return _unusable(limit, message, did_you_mean(word, known) or there)
    return found


def _on_device(verdict: Verdict) -> Verdict | tuple[Diagnostic, ...]:
    """The verdict with the room of the device that its limit names."""
    from compiler.report.device.assumed import assumed
    from compiler.report.device.table import THIS, device

    limit = verdict.limit
    if "device" not in limit.at:
        message = "`reserve` is kept back of a device's memory"
        return (_unusable(limit, message, "of which?", "name a `device` in the key too"),)
    if limit.limit != FITS:
        message = f"`{limit.metric}` is the same on every device"
        help_ = "drop `device` from the key, or let the limit be `fits`: what it has room for"
        return (_unusable(limit, message, "a number needs none", help_),)
    if verdict.unit != "bytes":
        message = f"`{limit.metric}` does not lie in the memory of a device"
        return (_unusable(limit, message, f"its unit is {verdict.unit}", "limit it by a number"),)
    if limit.at["device"] == THIS:
        message = "a limit on `this` machine would be another one on every machine"
        return (_unusable(limit, message, "name a device", "`archc cost --device list` has some"),)
    try:
        found = device(str(limit.at["device"]))
        kept = f"reserve={limit.at['reserve']}" if "reserve" in limit.at else ""
        assume = assumed(found, verdict.precision, kept)
    except SpecError as error:
        return tuple(_beside(limit, each) for each in error.diagnostics)
    return replace(verdict, most=assume.room(found), device=found, reserve=assume.reserve)


def _beside(limit: Limit, found: Diagnostic) -> Diagnostic:
    """What is wrong with the device of a limit; in a file of devices, with its place there."""
    said, place = _unusable(limit, found.message, found.primary.text, found.help), found.primary
    return said if place.span.file.startswith("--") else replace(said, others=(place,))


def _unusable(limit: Limit, message: str, label: str, help_: str = "") -> Diagnostic:
    return Diagnostic("AR0812", message, Label(limit.span, label), help=help_)
