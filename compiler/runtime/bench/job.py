"""One model at one batch and length, in a process of its own, so that its peak memory is its."""

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.bench.feed import feed, has_length
from compiler.runtime.bench.measure import measure
from compiler.runtime.bench.profile import read_profile, weight_bytes
from compiler.runtime.opening import home, model_files, open_session
from compiler.runtime.published import read_published
from compiler.runtime.refusal import refusal
from compiler.runtime.session import Session
from compiler.runtime.values import bytes_of

STATUS: Final = Path("/proc/self/status")


class Job(Frozen):
    """What a process is to time; `threads` is 0 for one a core, `options` are for CUDA."""

    build: str
    batch: int
    length: int
    steps: int
    repeat: int
    threads: int
    options: Mapping[str, str] = field(default_factory=dict)


def run_job(job: Job) -> dict[str, Any]:
    """Times, peak memory, nodes by provider and what a run must move and compute at least.

    Raises `CannotAnswer` where the model cannot be loaded or run at these sizes.
    """
    folder = Path(job.build)
    began = time.perf_counter()
    session = open_session(folder, threads=job.threads, options=job.options)
    loaded = time.perf_counter() - began
    try:
        times = measure(
            session,
            job.batch,
            job.length,
            steps=job.steps,
            repeat=job.repeat,
            clock=time.perf_counter,
        )
        peak = peak_bytes()
        nodes = _nodes(folder, job)
    except CannotAnswer:
        raise
    except Exception as error:
        at = f"batch {job.batch} and length {job.length}"
        said = _beyond(folder, session, job) or refusal(error)
        raise CannotAnswer(
            f"`{job.build}` cannot be run at {at}: {said}",
            "a prompt and its `--steps` have to fit into the longest sequence together",
        ) from error
    return {
        "batch": job.batch,
        "length": job.length if has_length(session) else None,
        "device": session.device,
        "shared_cache": session.shares,
        "load_seconds": loaded,
        "peak_bytes": peak,
        "product_flops": sum(node.flops for node in nodes),
        "weight_bytes": weight_bytes(model_files(folder)[-1]),
        "cache_bytes": _cache_bytes(session, job),
        "nodes": [node.document() for node in nodes],
        **times.document(),
    }


def _beyond(folder: Path, session: Session, job: Job) -> str:
    """What says that an input is longer than the model reads; empty where none is known to be."""
    for name, most in read_published(home(folder)).longest.items():
        made = job.steps if session.past and name not in session.source else 0
        if job.length + made > most:
            behind = f" and {made} steps behind it" if made else ""
            return f"`{name}` has {most} places at most, too few for {job.length}{behind}"
    return ""


def start(job: Job) -> dict[str, Any]:
    """What a new process finds; raises `CannotAnswer` as `run_job` does there, or if it dies."""
    done = subprocess.run(
        [sys.executable, "-m", "compiler.runtime.bench.job"],
        input=json.dumps(asdict(job)),
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        said = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        raise CannotAnswer(f"timing `{job.build}` failed: {said}") from None
    if "error" in found:
        raise CannotAnswer(found["error"], found["help"])
    return found


def peak_bytes() -> int:
    """The most memory that this process has had at once."""
    import resource

    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def _nodes(folder: Path, job: Job) -> "tuple[Any, ...]":
    """The nodes of one more run, of a whole input, under ONNX Runtime's profiler."""
    with TemporaryDirectory() as place:
        profile = Path(place) / "run"
        session = open_session(folder, threads=job.threads, profile=profile, options=job.options)
        session.run(feed(session, job.batch, job.length, job.length))
        return tuple(chain.from_iterable(map(read_profile, session.end_profiles())))


def _cache_bytes(session: Session, job: Job) -> int:
    """Bytes of the keys and values that a step reads, halfway through all steps."""
    seen = job.length + job.steps // 2
    found = 0
    for name, shape in session.past.items():
        size = bytes_of(session.kinds[name]) * job.batch
        for each in shape[1:]:
            size *= seen if isinstance(each, str) else each
        found += size
    return found


def main() -> None:
    """Answer the job on stdin."""
    try:
        answer = run_job(Job(**json.load(sys.stdin)))
    except CannotAnswer as error:
        answer = {"error": error.message, "help": error.help}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
