"""This machine as a device: its rates and bandwidth measured, its memory asked of the system."""

import os
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from compiler.answer import CannotAnswer
from compiler.report.device.device import Device
from compiler.report.device.runtime_products import product

if TYPE_CHECKING:
    import torch

SMALLEST: Final = 512
LARGEST: Final = 8192
LONG_ENOUGH: Final = 0.04
ENOUGH: Final = 0.25
COPIED: Final = 2**28
READ: Final = 8192
LIMIT: Final = Path("/sys/fs/cgroup/memory.max")


def this_machine(threads: int = 0, place: str = "") -> Device:
    """Measures matrix products by precision and a copy, in a few seconds: of the first GPU where
    torch has one, else of `threads` of the processor, 0 for all; `place` is `cpu` or `cuda` where
    one of them is meant. On a processor the faster of torch and ONNX Runtime says its rate in fp32,
    of which either may be twice as fast as the other, and what reads memory faster its bandwidth: a
    copy, or the product of a row and a weight that no cache holds.

    Raises ImportError without torch, onnx or onnxruntime, `CannotAnswer` where torch cannot use the
    GPU that is meant.
    """
    import torch

    there = torch.cuda.is_available()
    if place == "cuda" and not there:
        raise CannotAnswer(
            "the model ran on a GPU that torch cannot measure", "install torch with CUDA"
        )
    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        return _measured(torch, place or ("cuda" if there else "cpu"))
    finally:
        torch.set_num_threads(before)


def _measured(torch: Any, name: str) -> Device:
    place = torch.device(name)
    types = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    with torch.inference_mode():
        rates = {name: _rate(_products(torch, kind, place)) for name, kind in types.items()}
        bandwidth = _bandwidth(torch, place)
    by = f"torch {torch.__version__}"
    if name == "cuda":
        found = torch.cuda.get_device_properties(place)
        title, most = found.name, found.total_memory
    else:
        import onnxruntime

        threads = torch.get_num_threads()
        rates["fp32"] = max(rates["fp32"], _rate(partial(product, threads=threads)))
        seconds = best(product(READ, threads, rows=1))
        bandwidth = max(bandwidth, round(READ**2 * 4 / seconds))
        by += f", in fp32 by ONNX Runtime {onnxruntime.__version__} too, the faster of them"
        title, most = f"{threads} threads of {_processor()}", room()
    return Device(
        name="this",
        title=title,
        memory=most,
        bandwidth=bandwidth,
        rates=rates,
        source=f"products of up to {LARGEST} by {LARGEST} and copies of {COPIED // 2**20} MiB, "
        f"measured by {by}",
        measured=True,
    )


def best(run: Callable[[], object], times: int = 4) -> float:
    """The shortest of some runs in seconds; the first warms up, slow ones are run but twice."""
    found: list[float] = []
    while len(found) < 2 or (len(found) < times and sum(found) < ENOUGH):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return max(min(found), 1e-9)


def _rate(products: Callable[[int], Callable[[], object]]) -> int:
    """FLOP/s of the product of square matrices, made larger until it takes a while."""
    size, fastest = SMALLEST, 0
    while True:
        seconds = best(products(size))
        fastest = max(fastest, round(2 * size**3 / seconds))
        if seconds >= LONG_ENOUGH or size == LARGEST:
            return fastest
        size *= 2


def _products(
    torch: Any, kind: "torch.dtype", place: "torch.device"
) -> Callable[[int], Callable[[], object]]:
    """What multiplies square matrices of a size and waits until it is done."""
    wait = _waiting(torch, place)

    def of(size: int) -> Callable[[], object]:
        left, right = (torch.full((size, size), 0.5, dtype=kind, device=place) for _ in range(2))
        return lambda: (left @ right, wait())

    return of


def _bandwidth(torch: Any, place: "torch.device") -> int:
    """Bytes a second that a copy reads and writes."""
    source, target = (torch.ones(COPIED, dtype=torch.uint8, device=place) for _ in range(2))
    wait = _waiting(torch, place)
    seconds = best(lambda: (target.copy_(source), wait()))
    return round(2 * COPIED / seconds)


def _waiting(torch: Any, place: "torch.device") -> Callable[[], object]:
    """What returns when all work that was given to a device is done."""
    return torch.cuda.synchronize if place.type == "cuda" else lambda: None


def room() -> int:
    """Bytes that this process can have: of the machine, or of its container where that is less."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        said = LIMIT.read_text(encoding="ascii").strip()
    except OSError:
        return whole
    return min(whole, int(said)) if said.isdigit() else whole


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()
