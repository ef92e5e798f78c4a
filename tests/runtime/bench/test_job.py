"""One job: in a process of its own, what it holds at most, and how it fails."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.runtime.bench.job import Job, peak_bytes, run_job, start
from tests.runtime.bench.test_measure import folder, wide
from tests.verify.models import encoder


def job(place: Path) -> Job:
    return Job(str(place), batch=2, length=6, steps=4, repeat=5, threads=1)


def test_a_process_says_what_it_found(tmp_path: Path) -> None:
    found = start(job(folder(wide(), tmp_path)))
    assert (found["batch"], found["length"], found["shared_cache"]) == (2, 6, True)
    assert found["decode"]["samples"] == 5 * 4
    assert found["prefill"]["samples"] == found["time_to_first_token"]["samples"] == 5
    assert found["time_to_first_token"]["p50_seconds"] >= found["prefill"]["p50_seconds"]
    assert found["cache_bytes"] == 2 * 2 * 2 * (2 * (6 + 2) * 8) * 4  # B, k and v, L; G · C · K
    assert 0 < found["weight_bytes"] < found["peak_bytes"]
    assert found["product_flops"] > 0


def test_an_encoder_is_timed_as_a_whole(tmp_path: Path) -> None:
    found = run_job(job(folder(encoder(), tmp_path)))
    assert "decode" not in found
    assert found["forward"]["samples"] == 5
    assert (found["cache_bytes"], found["shared_cache"]) == (0, False)


def test_the_peak_remembers_what_is_given_back() -> None:
    before = peak_bytes()
    np.ones(before // 8 + 2**23)
    after = peak_bytes()
    assert after >= before + 2**25
    assert peak_bytes() >= after


def test_what_cannot_be_run_is_said_through_the_process(tmp_path: Path) -> None:
    with pytest.raises(CannotAnswer, match=r"holds no `model\.onnx`"):
        start(job(tmp_path))
    spec = wide()
    spec["graph"]["tok"]["embed"]["positions"] = {"learned": 8}
    del spec["graph"]["h"]["stack"]["layer"]["attn"]["attention"]["rope"]
    place = folder(spec, tmp_path)
    with pytest.raises(CannotAnswer, match="cannot be run at batch 2 and length 60"):
        run_job(replace(job(place), length=60))


def test_a_prompt_and_steps_beyond_the_longest_are_counted(tmp_path: Path) -> None:
    spec = wide()
    spec["graph"]["tok"]["embed"]["positions"] = {"learned": 8}
    del spec["graph"]["h"]["stack"]["layer"]["attn"]["attention"]["rope"]
    place = folder(spec, tmp_path)
    (place / "manifest.json").write_text(json.dumps({"model": {"longest": {"ids": 8}}}))
    said = "length 6: `ids` has 8 places at most, too few for 6 and 4 steps behind it$"
    for named in (place, place / "model.onnx"):
        with pytest.raises(CannotAnswer, match=said):
            run_job(job(named))
