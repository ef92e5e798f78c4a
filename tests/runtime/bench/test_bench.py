"""The whole bench with processes that only tell what they were asked: turns, floors and text."""

from typing import Any

import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

from compiler.answer import CannotAnswer
from compiler.report.device.device import Device
from compiler.runtime.bench.bench import INTEGERS, bench
from compiler.runtime.bench.job import Job

MACHINE = Device(
    name="this",
    title="a machine",
    memory=2**30,
    bandwidth=10**9,
    rates={"fp32": 10**10},
    source="a test",
    measured=True,
)
HALF = {"p50_seconds": 0.5, "p90_seconds": 0.75, "p99_seconds": 1.0, "samples": 5}
DECODES = {"prefill": HALF, "time_to_first_token": HALF, "decode": HALF}


def told(job: Job, parts: dict[str, Any], length: int | None) -> dict[str, Any]:
    """What a process says that moves 200 MB of weights and 50 MB of cache for 10^9 FLOPs."""
    return {
        "batch": job.batch,
        "length": length,
        "device": "cpu",
        "shared_cache": job.build == "a",
        "peak_bytes": 3 * 10**8,
        "product_flops": 10**9,
        "weight_bytes": 2 * 10**8,
        "cache_bytes": 5 * 10**7,
        "nodes": [{"name": "n", "operator": "Add", "provider": "P"}],
        **parts,
    }


@pytest.mark.parametrize(
    ("seconds", "operator", "why"),
    [
        (0.5, "MatMul", ""),
        (0.1, "MatMulNBits", "over 100 %: products of integers"),
        (0.1, "QGemm", "over 100 %: products of integers"),
        (0.1, "MatMul", "over 100 % in floats: small weights"),
    ],
)
def test_what_is_faster_than_the_roofline_is_explained(
    seconds: float, operator: str, why: str
) -> None:
    """10^9 FLOPs at 10^10 a second and 200 MB at 10^9 bytes a second take 0.2 s."""
    parts: dict[str, Any] = {"forward": {**HALF, "p50_seconds": seconds}}
    parts["nodes"] = [{"name": "n", "operator": operator, "provider": "P"}]
    found = bench(["a"], [(1, 8)], machine=lambda _: MACHINE, start=lambda job: told(job, parts, 8))
    assert found.text().count("over 100 %") == bool(why)
    assert why in found.text()


def test_products_of_integers_are_operators_of_onnx_runtime() -> None:
    assert {schema.name for schema in get_all_operator_schema()} >= INTEGERS


def test_models_take_turns_and_stand_on_the_roofline() -> None:
    asked: list[Job] = []

    def start(job: Job) -> dict[str, Any]:
        asked.append(job)
        return told(job, DECODES, job.length)

    grid = [(1, 8), (2, 8)]
    found = bench(["a", "b"], grid, machine=lambda place: MACHINE, steps=3, threads=2, start=start)
    assert [(job.build, job.batch, job.length) for job in asked] == [
        ("a", 1, 8),
        ("b", 1, 8),
        ("a", 2, 8),
        ("b", 2, 8),
    ]
    assert {(job.steps, job.repeat, job.threads) for job in asked} == {(3, 5, 2)}
    points = found.document()["points"]
    last = points[3]
    assert last["prefill"] == {
        **HALF,
        "least_seconds": 0.2,
        "per_second": 2 * 8 / 0.5,
        "times_the_first": 1,
    }
    assert last["decode"] == {
        **HALF,
        "least_seconds": 0.25,
        "per_second": 2 / 0.5,
        "times_the_first": 1,
    }
    text = found.text().replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "10 GFLOP/s in fp32, 1 GB/s" in text
    assert text.count("time to first token") == 4
    assert "40.0" in text
    assert "50.0" in text
    assert text.endswith("a: nodes 1 on P; the cache is one buffer\nb: nodes 1 on P")


def test_a_model_without_a_length_stands_there_once() -> None:
    found = bench(
        ["a"],
        [(1, 8), (1, 16)],
        machine=lambda place: MACHINE,
        start=lambda job: told(job, {"forward": HALF}, None),
    )
    (point,) = found.document()["points"]
    assert point["forward"]["per_second"] == 1 / 0.5
    assert "prefill" not in found.text()


def test_another_model_is_so_many_times_the_first() -> None:
    twice = {name: each * 2 for name, each in HALF.items() if name != "samples"}

    def start(job: Job) -> dict[str, Any]:
        return told(job, {"forward": HALF if job.build == "a" else {**HALF, **twice}}, job.length)

    found = bench(["a", "b"], [(1, 8), (2, 8)], machine=lambda place: MACHINE, start=start)
    ratios = [point["forward"].get("times_the_first") for point in found.points]
    assert ratios == [None, 2, None, 2]
    assert "times the first" in found.text()
    assert found.plot().count("<circle") == len(found.points)
    alone = bench(["a"], [(1, 8)], machine=lambda place: MACHINE, start=start)
    assert "times the first" not in alone.text()


@pytest.mark.parametrize("place", ["cpu", "cuda"])
def test_the_machine_is_measured_where_the_model_ran(place: str) -> None:
    asked: list[str] = []

    def machine(where: str) -> Device:
        asked.append(where)
        return MACHINE

    def start(job: Job) -> dict[str, Any]:
        return {**told(job, {"forward": HALF}, 8), "device": place}

    bench(["a"], [(1, 8)], machine=machine, start=start)
    assert asked == [place]


@pytest.mark.parametrize("name", ["steps", "repeat", "threads"])
def test_too_few_are_refused(name: str) -> None:
    with pytest.raises(CannotAnswer, match=f"`--{name}` must be"):
        bench(["a"], [(1, 8)], machine=lambda place: MACHINE, start=lambda job: {}, **{name: -1})  # type: ignore[arg-type]


def test_far_more_threads_than_cores_are_refused() -> None:
    with pytest.raises(CannotAnswer, match="`--threads 100000` is far more than"):
        bench(["a"], [(1, 8)], machine=lambda place: MACHINE, start=lambda job: {}, threads=100_000)
