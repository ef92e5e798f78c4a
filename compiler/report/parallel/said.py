"""Ranks of a model for people: verdicts, a line for each kind of stage, what is sent and why."""

from collections.abc import Container, Iterator, Sequence
from itertools import groupby
from typing import Final

from compiler.report.numbers import count, grouped, memory, share
from compiler.report.parallel.degrees import WAYS
from compiler.report.parallel.ranks import COUNTED, Ranks, Stage
from compiler.report.parallel.rules import RING
from compiler.report.table import Table

HEAD: Final = (
    "stage",
    "layers",
    "parameters",
    "weights",
    "gradients",
    "optimizer",
    "states",
    "saved",
    "together",
    "keys, values",
    "sent a step",
)
KINDS: Final = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "all_to_all": "all-to-all",
    "ring": "ring",
    "send": "send",
}
LONG: Final = 8
"""Lines of a table; in a longer one a line stands for stages that differ in what they save too."""

SEQUENCES: Final = (
    "Sequences are whole on every tensor rank: each sublayer sums its result once forward and the "
    "gradient of its input once backward.",
    "Between the maps a sequence is cut: each sublayer gathers and scatters it once forward and "
    "once backward, and gathers its input once more for the gradients of its maps.",
)
"""What tensor ranks do with sequences, by `sp`."""


def text(ranks: Ranks, room: int | None = None) -> str:
    """Lines for a terminal; `room` is what a rank may take of a device, in bytes."""
    lines = [f"across {_devices(ranks)}: {ranks.degrees}", ""]
    found = list(_verdicts(ranks, room))
    names, figures = (max(len(row[i]) for row in found) for i in (0, 1))
    lines += [f"{name:<{names}}  {figure:>{figures}}  {remark}" for name, figure, remark in found]
    lines += ["", *_stages(ranks).text(), "", *_sent(ranks).text()]
    return "\n".join(lines) + "\n"


def markdown(ranks: Ranks, room: int | None = None) -> str:
    """A section of a Markdown report, its assumptions last; `room` as in `text`."""
    lines = [f"## Across {_devices(ranks)}", "", f"`--parallel {ranks.degrees}`:", ""]
    said = {name: getattr(ranks.degrees, name) for name in WAYS}
    lines += [
        f"* `{name}={said[name]}`: {what}" for name, what in WAYS.items() if _used(said, name)
    ]
    lines += [
        "",
        *(f"* {name} **{figure}** ({what})" for name, figure, what in _verdicts(ranks, room)),
    ]
    lines += ["", *_stages(ranks).markdown(), "", *_sent(ranks).markdown()]
    lines += ["", *(f"* {sentence}" for sentence in assumptions(ranks))]
    return "\n".join(lines) + "\n"


def assumptions(ranks: Ranks) -> list[str]:
    """What the numbers take for granted, each true of these degrees."""
    degrees = ranks.degrees
    found = [
        "B sequences are one microbatch of one replica: a step has "
        f"{grouped(ranks.batch * degrees.microbatches * degrees.dp)} in all.",
        "Saved are the tensors that backward passes under way need; what comes and goes within a "
        "pass, and the loss with its logits, comes on top.",
        f"{RING.said} Parts that do not come out even are rounded up. The rank shown has the most.",
    ]
    if degrees.tp > 1:
        found += [
            "Maps are cut by heads or hidden units, tables of the vocabulary by rows; norms, "
            "routers, positions and the maps of a single key head are whole on every tensor rank.",
            SEQUENCES[degrees.sp],
        ]
    if degrees.zero > 1:
        found.append(
            "Gradients are scattered after every microbatch, since no rank keeps them all."
        )
    if degrees.zero > 2:
        found.append("Weights are gathered twice in every microbatch, forward and backward.")
    if degrees.ep > 1:
        found.append("Every expert is sent as many rows; an expert is on one rank whole.")
    if degrees.cp > 1:
        found.append(
            "Keys and values go all the way round, also where a mask hides them; backward they do "
            "so again and their gradients with them."
        )
    if len({stage.layers for stage in ranks.stages}) > 1:
        found.append(
            "Layers go to the pieces of the pipeline in their order; they do not come out even, so "
            "that the first pieces have one more than the last."
        )
    if degrees.pp > 1:
        rounds = "2·(p - i - 1) + (v - 1)·p + 1 forwards of a piece"
        flight = rounds if degrees.interleave > 1 else "p - i forwards"
        found.append(f"Before its first backward pass stage i has had {flight}, if there are any.")
        found.append(
            "What comes before the layers is on the first stage, what comes behind on the last; a "
            "tied table is on both, and its gradients are summed."
        )
    return found


def folded(
    stages: tuple[Stage, ...], but: Container[str] = ()
) -> Iterator[tuple[str, tuple[Stage, ...]]]:
    """Neighbouring stages of equal numbers together: `1..2` stands for the stages 1 and 2. Numbers
    of some names may differ."""

    def alike(one: Stage) -> tuple[int, dict[str, int]]:
        return one.layers, {name: n for name, n in one.numbers.items() if name not in but}

    for _, each in groupby(stages, key=alike):
        first, *rest = group = tuple(each)
        yield (f"{first.index}..{rest[-1].index}" if rest else str(first.index)), group


def _used(said: dict[str, int], name: str) -> bool:
    return said["tp"] > 1 if name == "sp" else said[name] > (name != "zero")


def _devices(ranks: Ranks) -> str:
    number = ranks.degrees.ranks
    return f"{grouped(number)} device{'s' if number > 1 else ''}"


def _verdicts(ranks: Ranks, room: int | None) -> Iterator[tuple[str, str, str]]:
    kept, busy, degrees = ranks.fullest, ranks.busiest, ranks.degrees
    names = {"tp": "tensor", "pp": "stages", "dp": "replicas", "cp": "along a sequence"}
    product = " · ".join(
        f"{grouped(getattr(degrees, name))} {what}"
        for name, what in names.items()
        if getattr(degrees, name) > 1
    )
    yield "devices", grouped(degrees.ranks), product or "one has everything"
    step = grouped(ranks.batch * degrees.microbatches * degrees.dp)
    batch = grouped(ranks.batch)
    yield "a step", step, f"sequences, B = {batch} in each microbatch of each replica"
    saved = " and saved tensors" if "saved_bytes" in kept.numbers else ""
    what = f"weights, gradients, optimizer{saved}, on stage {kept.index}"
    yield "fullest rank", memory(kept.kept), what
    if gathered := kept.numbers["gathered_bytes"]:
        yield "gathered", memory(gathered), "two whole layers among them, while one runs"
    if room is not None:
        left = room - kept.kept
        rest = "what comes and goes within a pass" if saved else "all tensors of a pass"
        fits = f"fits, with {memory(left)} left for {rest}"
        yield "room", memory(room), "does not fit" if left < 0 else fits
    sent = memory(busy.numbers["communication_bytes"])
    yield "busiest rank", sent, f"sent in a step of training, on stage {busy.index}"
    if degrees.pp > 1:
        bubble = degrees.bubble
        text_ = share(bubble.numerator, bubble.denominator)
        yield "bubble", text_, f"of the time it works a stage waits: {bubble}, (p - 1) / (v·m)"


def _stages(ranks: Ranks) -> Table:
    rows = []
    lines = list(folded(ranks.stages))
    if len(lines) > LONG:
        lines = list(folded(ranks.stages, COUNTED))
    for name, group in lines:
        stage, numbers = group[0], group[0].numbers
        optimizer = numbers["master_weights_bytes"] + numbers["optimizer_bytes"]
        cache = numbers["kv_bytes"]
        saved = [one.numbers["saved_bytes"] for one in group if "saved_bytes" in one.numbers]
        rows.append(
            (
                name,
                grouped(stage.layers),
                count(numbers["parameters"]),
                memory(numbers["weights_bytes"]),
                memory(numbers["gradients_bytes"]),
                memory(optimizer),
                memory(numbers["training_states_bytes"]),
                _span(saved) if saved else "not counted",
                _span([one.kept for one in group]),
                memory(cache) if cache else "",
                memory(numbers["communication_bytes"]),
            )
        )
    return Table(HEAD, rows, frozenset(range(1, len(HEAD))))


def _span(sizes: Sequence[int]) -> str:
    """Bytes of the first and the last of some stages."""
    ends = dict.fromkeys(map(memory, (sizes[0], sizes[-1])))
    return "..".join(ends)


def _sent(ranks: Ranks) -> Table:
    stage = ranks.busiest
    rows = [
        (one.group, KINDS[one.kind], one.what, memory(stage.sent(one)), grouped(stage.sent(one)))
        for one in stage.transfers
    ]
    whole = stage.numbers["communication_bytes"]
    foot = [("total", "", "", memory(whole), grouped(whole))]
    head = ("group", "how", f"a rank of stage {stage.index} sends in a step", "", "exactly")
    return Table(head, rows, frozenset({3, 4}), foot)
