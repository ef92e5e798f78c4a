"""The section of a cost report about a device, for a terminal and as Markdown."""

from collections.abc import Callable, Iterator
from shlex import quote
from typing import Final

from compiler.passes.cost_lengths import in_order
from compiler.report.device.device import Device
from compiler.report.device.figures import bandwidth, duration, per, percent, three
from compiler.report.device.fit import Fit
from compiler.report.device.on_device import OnDevice
from compiler.report.device.roofline import Node, Phase
from compiler.report.escape import inline
from compiler.report.markdown import command
from compiler.report.numbers import flops, grouped, memory
from compiler.report.table import Table

NAMES: Final = {"prefill": "whole input", "decode": "one step", "forward": "forward"}
PROVED: Final = (
    "At the device's own rate and bandwidth nothing is below all matrix products, or weights and "
    "cache read once. The roofline adds up operators by themselves: kernels that do the work of "
    "several move less. Only matrix products count as computing."
)
INTEGERS: Final = (
    "Weights are read in {0} and multiplied in {1}, at its rate: no product is taken to be of "
    "integers, whatever rate the device has for those. Training is in {1}."
)
CHOICES: Final = "Tokens are taken to choose experts independently of each other and all alike."
GRADIENTS: Final = (
    "Training has room for the gradients of all weights while a step makes new ones to add; a "
    "single step from none needs less, which `training_peak_bytes` counts."
)
MEANT: Final = {
    "weights_bytes": "weights",
    "kv_bytes": "cache",
    "kv_held_bytes": "cache",
    "source_kv_bytes": "keys and values of the source",
    "forward_peak_bytes": "tensors of a forward",
    "decode_peak_bytes": "tensors of a step",
    "training_states_bytes": "weights, gradients and optimizer",
    "training_forward_peak_bytes": "tensors of a training forward",
    "training_tensors_bytes": "tensors of a training step",
}
LACKED: Final = {**MEANT, "training_tensors_bytes": "what a backward pass makes"}


def text(on: OnDevice) -> str:
    """Lines for a terminal."""
    lines = [f"on {headline(on)}", "", *_times(on).text()]
    lines += ["", training(on), "", *_fits(on).text(), "", *_nodes(on).text()]
    lines += ["", "assumed, not proved (change with --assume):"]
    lines += [f"  {sentence}" for sentence in notes(on)]
    return "\n".join(lines) + "\n"


def markdown(on: OnDevice) -> str:
    """The same as a section of Markdown."""
    title = f"## On {inline(on.device.title)}"
    lines = [title, "", f"{headline(on, inline)}. By `{again(on)}`.", ""]
    lines += _times(on).markdown()
    said = training(on)
    lines += ["", f"{said[0].upper()}{said[1:]}.", "", "### What fits", "", *_fits(on).markdown()]
    lines += ["", "### Roofline", "", *_nodes(on).markdown()]
    lines += ["", "### Assumed, not proved", "", *(f"* {said}" for said in notes(on, inline))]
    return "\n".join(lines) + "\n"


def again(on: OnDevice) -> str:
    """The command line that prints this section again."""
    device = f" --device {quote(on.device.said or on.device.name)}"
    assume = f" --assume {quote(on.assume.said)}" if on.assume.said else ""
    return f"{command(on.report)}{device}{assume}"


def headline(on: OnDevice, words: Callable[[str], str] = str) -> str:
    """What the device is, in a line; `words` makes its own words fit for where they stand."""
    device, precision = on.device, on.report.precision
    how = "measured" if device.measured else "dense"
    rate = flops(device.rates[precision])
    return (
        f"{words(device.title)} (`{device.name}`): {rate}/s in {precision}, "
        f"{how}; {bandwidth(device.bandwidth)}; {memory(device.memory)}; ridge at "
        f"{three(device.ridge(precision))} FLOP/byte"
    )


def training(on: OnDevice) -> str:
    """A training step in a sentence."""
    step = on.step
    unit = _unit(on)
    size = f"{grouped(step.tokens)} {unit if step.tokens > 1 else unit[:-1]}"
    if not step.run:
        return f"a training step of {size} has no matrix products"
    again = f", {flops(step.run)} as it is run" if step.run != step.asked else ""
    return (
        f"a training step of {size}, {flops(step.asked)}{again}: "
        f"{duration(step.least)} at the full rate, {duration(step.seconds)} with assumptions "
        f"({three(step.tokens / step.seconds)} {unit} a second, model FLOPs utilisation "
        f"{percent(step.utilisation(step.seconds))})"
    )


def _unit(on: OnDevice) -> str:
    return "tokens" if on.report.costs.target else "inputs"


def listing(devices: tuple[Device, ...]) -> Table:
    """A table of devices with what counts of each."""
    head = ("device", "is", "fp32", "bf16", "fp8", "bandwidth", "memory", "ridge", "source")
    rows = [
        (
            " ".join((each.name, *each.also)),
            each.title,
            *(_rate(each, precision) for precision in ("fp32", "bf16", "fp8")),
            bandwidth(each.bandwidth),
            memory(each.memory),
            three(each.ridge("bf16")) if "bf16" in each.rates else "",
            each.source,
        )
        for each in devices
    ]
    return Table(head, rows, frozenset({2, 3, 4, 5, 6, 7}))


def notes(on: OnDevice, words: Callable[[str], str] = str) -> Iterator[str]:
    """Everything that the numbers take for granted."""
    yield from on.assume.sentences()
    yield PROVED
    if on.report.setting.rounded:
        yield INTEGERS.format(on.report.setting.weights, on.report.precision)
    if on.report.mixtures:
        yield CHOICES
    if missing := sorted({name for fit in on.fits for name in fit.missing}):
        said = " and ".join(LACKED[name] for name in missing)
        yield f"Beside what is counted there must be room for {said}."
    if any("training_tensors_bytes" in fit.counted for fit in on.fits):
        yield GRADIENTS
    if on.device.source:
        dated = f", as of {words(on.device.date)}" if on.device.date else ""
        yield f"The device's numbers are from {words(on.device.source)}{dated}."
    if on.device.beware:
        yield f"Beware: {words(on.device.beware)}."


def _times(on: OnDevice) -> Table:
    phases = on.phases
    unit = _unit(on)
    lines: list[tuple[str, list[str]]] = [
        ("at", [_at(on, phase) for phase in phases]),
        ("matrix products", [flops(phase.flops) for phase in phases]),
        ("bytes moved", [memory(round(phase.moved)) for phase in phases]),
        ("FLOP/byte", [three(per(phase.flops, phase.moved)) for phase in phases]),
        ("never below", [duration(phase.least) for phase in phases]),
        (f"{unit} a second, at most", [three(per(phase.tokens, phase.least)) for phase in phases]),
        ("roofline, node by node", [duration(phase.roofline) for phase in phases]),
        ("utilisation, at most", [percent(phase.utilisation(phase.roofline)) for phase in phases]),
        ("with assumptions", [duration(phase.seconds) for phase in phases]),
        (f"{unit} a second", [three(per(phase.tokens, phase.seconds)) for phase in phases]),
        ("utilisation", [percent(phase.utilisation(phase.seconds)) for phase in phases]),
        ("bound", [_bound(phase) for phase in phases]),
    ]
    head = ("", *(NAMES[phase.name] for phase in phases))
    return Table(head, [(name, *cells) for name, cells in lines], frozenset({1, 2}))


def _at(on: OnDevice, phase: Phase) -> str:
    costs = on.report.costs
    at = {**on.report.at, **({costs.target: 1} if phase.name == "decode" else {})}
    return ", ".join(f"{known.name} = {grouped(at[known.name])}" for known in in_order(costs))


def _bound(phase: Phase) -> str:
    return f"{phase.bound}-bound, {percent(phase.share(phase.bound))} of the time"


def _fits(on: OnDevice) -> Table:
    room = memory(on.room)
    head = (f"in {room}", "counted", "needs", "", "largest batch", "greatest length")
    rows = [
        (
            fit.what,
            " + ".join(MEANT[name] for name in fit.counted),
            memory(fit.need),
            "fits" if fit.ok else "does not fit",
            _largest(fit, fit.batch, on.report.costs.batch),
            _greatest(fit),
        )
        for fit in on.fits
    ]
    return Table(head, rows, frozenset({2, 4, 5}))


def _greatest(fit: Fit) -> str:
    if fit.ends is not None:
        return f"{grouped(fit.ends)}, where the table of positions ends"
    return _largest(fit, fit.length, " = ".join(fit.lengths))


def _largest(fit: Fit, found: int | None, letter: str) -> str:
    """A number that fits; where nothing that is counted grows, any does if all is counted."""
    if not letter:
        return ""
    if found is None:
        return "not counted" if fit.missing else "any"
    return f"{letter} = {grouped(found)}" if found else "none"


def _nodes(on: OnDevice) -> Table:
    first, *others = on.phases
    steps = {node.path: node for phase in others for node in phase.nodes}
    head = ("node", *(name for phase in on.phases for name in _columns(phase)))
    rows = []
    for node in first.nodes:
        cells = [*_cells(node)]
        for _ in others:
            cells += _cells(steps[node.path]) if node.path in steps else ("", "", "")
        if any(cells):
            rows.append((node.path, *cells))
    right = {i for i in range(1, len(head)) if i % 3}
    return Table(head, rows, frozenset(right))


def _columns(phase: Phase) -> tuple[str, str, str]:
    return (f"{NAMES[phase.name]}: FLOP/byte", "time", "bound")


def _cells(node: Node) -> tuple[str, str, str]:
    if not node.kernels:
        return ("", "", "")
    intensity = three(node.intensity) if node.flops else ""
    return intensity, duration(node.seconds), node.bound


def _rate(device: Device, precision: str) -> str:
    return f"{flops(device.rates[precision])}/s" if precision in device.rates else ""
