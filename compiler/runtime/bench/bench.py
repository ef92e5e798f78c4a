"""A built model, and another beside it, timed over batches and lengths."""

import os
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.report.device.device import Device
from compiler.report.device.figures import bandwidth, duration, percent, three
from compiler.report.table import Table
from compiler.runtime.bench.job import Job, start
from compiler.runtime.bench.plot import plot
from compiler.runtime.placed import Placed, placements

PARTS: Final = ("forward", "prefill", "time_to_first_token", "decode")
FEWEST: Final = 5
MOST_THREADS: Final = 256
"""More are a slip of the finger, unless there are as many cores."""
HEAD: Final = (
    *("build", "B", "T", "of", "p50", "p90", "p99", "per second", "of roofline", "peak"),
    "times the first",
)
ABOVE: Final = "over 100 %: products of integers are faster than those in fp32 of the roofline"
FASTER: Final = (
    "over 100 % in floats: small weights stay in caches, and a busy machine is measured too low"
)
INTEGERS: Final = frozenset(
    {
        *("ConvInteger", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul", "MatMulInteger"),
        *("MatMulInteger16", "MatMulIntegerToFloat", "MatMulNBits", "QAttention", "QGemm"),
        *("QLinearConv", "QLinearMatMul", "QMoE", "QOrderedAttention", "QOrderedMatMul"),
    }
)
"""Operators whose products are of integers, here and in models of others."""


class Benched(Frozen):
    """What was found.

    Attributes:
        machine: what this machine does at most, as measured.
        points: what every process found, the models of one batch and length in a row.
    """

    machine: Device
    points: tuple[dict[str, Any], ...]

    @property
    def ok(self) -> bool:
        """Times are an answer whatever they are."""
        return True

    def document(self) -> dict[str, Any]:
        """All times in seconds; the machine as `archc cost --device this` has it."""
        return {"machine": self.machine.document(), "points": list(self.points)}

    def plot(self) -> str:
        """The points as an SVG."""
        return plot(self.points)

    def text(self) -> str:
        """A line for each thing timed, and what the times are against."""
        rows = [row for point in self.points for row in _rows(point)]
        table = Table(HEAD, rows, right=frozenset((1, 2, *range(4, len(HEAD)))))
        beside = any(map(_beside, self.points))
        rate = three(self.machine.rates["fp32"] / 1e9)
        moved = bandwidth(self.machine.bandwidth)
        lines = [f"{self.machine.title}: {rate} GFLOP/s in fp32, {moved} measured", ""]
        lines += (table if beside else table.columns(len(HEAD) - 1)).text()
        above = [ABOVE if _in_integers(point) else FASTER for point in self.points if _above(point)]
        lines += ["", *dict.fromkeys(above)] if above else []
        return "\n".join([*lines, "", *_placements(self.points)])


def bench(
    builds: Sequence[str],
    grid: Sequence[tuple[int, int]],
    *,
    machine: Callable[[str], Device],
    steps: int = 32,
    repeat: int = FEWEST,
    threads: int = 0,
    options: Mapping[str, str] | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
    start: Callable[[Job], dict[str, Any]] = start,
) -> Benched:
    """Time models at every batch and length, each in a process of its own, by turns.

    `machine` measures where ONNX Runtime ran, `cpu` or `cuda`. `repeat` is how often a whole input
    or prompt is run after one to warm up, `steps` how many ids a decoder then makes each time;
    `options` are for CUDA's provider.
    Raises `CannotAnswer` where a model cannot be run.
    """
    for name, number, least in (
        ("steps", steps, 1),
        ("repeat", repeat, FEWEST),
        ("threads", threads, 0),
    ):
        if number < least:
            raise CannotAnswer(f"`--{name}` must be {least} or more")
    if threads > max(MOST_THREADS, os.cpu_count() or 1):
        raise CannotAnswer(f"`--threads {threads}` is far more than this machine has cores")
    jobs = [
        Job(build, batch, length, steps, repeat, threads, options or {})
        for batch, length in grid
        for build in builds
    ]
    found = []
    for done, job in enumerate(jobs):
        if progress is not None:
            progress("time", done, len(jobs), "processes")
        found.append({"build": job.build, **start(job)})
    known = machine(found[0]["device"])
    return Benched(known, tuple(_compared([_against(point, known) for point in _once(found)])))


def _once(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A model without a length is timed once a batch."""
    found = {(point["build"], point["batch"], point["length"]): point for point in points}
    return list(found.values())


def _against(point: dict[str, Any], machine: Device) -> dict[str, Any]:
    """A point with what each part takes at least here, and sequences or ids a second.

    At least: a whole input its matrix products in fp32, a step the weights and the cache that it
    reads; each the bytes of the weights. Integers may be faster than the products' rate.
    """
    reading = point["weight_bytes"] / machine.bandwidth
    least = {
        "forward": max(point["product_flops"] / machine.rates["fp32"], reading),
        "decode": reading + point["cache_bytes"] / machine.bandwidth,
    }
    least |= dict.fromkeys(("prefill", "time_to_first_token"), least["forward"])
    made = {"decode": 1, "forward": 1, "time_to_first_token": 1, "prefill": point["length"] or 1}
    more: dict[str, Any] = {
        name: {
            **point[name],
            "least_seconds": least[name],
            "per_second": point["batch"] * made[name] / point[name]["p50_seconds"],
        }
        for name in PARTS
        if name in point
    }
    return {**point, **more}


def _compared(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Points with how many times as long as the first model's each part of another's takes."""
    sizes = itemgetter("batch", "length")
    first = {sizes(point): point for point in points if point["build"] == points[0]["build"]}
    return [
        {**point, **_ratios(point, first[sizes(point)])}
        if sizes(point) in first and point["build"] != points[0]["build"]
        else point
        for point in points
    ]


def _ratios(point: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    middle = "p50_seconds"
    return {
        name: {**point[name], "times_the_first": point[name][middle] / first[name][middle]}
        for name in PARTS
        if name in point and name in first
    }


def _beside(point: dict[str, Any]) -> bool:
    return any("times_the_first" in point.get(name, ()) for name in PARTS)


def _above(point: dict[str, Any]) -> bool:
    """Whether something took less than the roofline has it take."""
    parts = [point[name] for name in PARTS if name in point]
    return any(part["least_seconds"] > part["p50_seconds"] for part in parts)


def _in_integers(point: dict[str, Any]) -> bool:
    return any(node["operator"] in INTEGERS for node in point["nodes"])


def _rows(point: dict[str, Any]) -> list[tuple[str, ...]]:
    """Cells for everything timed at a point."""
    about = (str(point["build"]), str(point["batch"]), str(point["length"] or ""))
    return [
        (
            *about,
            name.replace("_", " "),
            *(duration(point[name][f"p{each}_seconds"]) for each in (50, 90, 99)),
            three(point[name]["per_second"]),
            percent(point[name]["least_seconds"] / point[name]["p50_seconds"]),
            f"{three(point['peak_bytes'] / 1e6)} MB",
            three(point[name].get("times_the_first", 1)),
        )
        for name in PARTS
        if name in point
    ]


def _placements(points: Sequence[dict[str, Any]]) -> list[str]:
    """For each model where its nodes ran, and whether its cache is one buffer."""
    found = []
    for build, point in {point["build"]: point for point in points}.items():
        counts = placements([Placed(**node) for node in point["nodes"]])
        cache = "; the cache is one buffer" if point["shared_cache"] else ""
        found.append(f"{build}: nodes {counts}{cache}")
    return found
