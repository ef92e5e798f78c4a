"""The generated module in torch, timed as a built model is: the job on stdin, times on stdout.

Its attention is torch's fused one, its cache one tensor of the whole length.
"""

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import archspec
from compiler.runtime.bench.timing import Timing
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build

if TYPE_CHECKING:
    from torch import Tensor, nn


def loaded(job: dict[str, Any]) -> "nn.Module":
    """The module with drawn weights where the job says, in its numbers."""
    import torch

    made = compiled(archspec.load(job["spec"], set=job["settings"]))
    assert isinstance(made, Compiled), made
    numbers = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    return build(made.generated).to(job["place"], numbers[job["precision"]]).eval()


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Times of prefill and steps as `compiler.runtime.bench.job` gives them; greedy ids."""
    import torch

    if job["threads"]:
        torch.set_num_threads(job["threads"])
    model, room = loaded(job), job["length"] + job["steps"]
    numbers = next(model.parameters()).dtype
    shape = (*job["cache"][:2], job["batch"], job["cache"][2], room, job["cache"][3])
    ids = torch.randint(job["vocabulary"], (job["batch"], job["length"]), device=job["place"])
    prefills, steps = [], []
    with torch.inference_mode():
        for _ in range(job["repeat"] + 1):
            kv = torch.zeros(shape, device=job["place"], dtype=numbers)
            given, seconds = ids, []
            for step in range(job["steps"] + 1):
                began = time.perf_counter()
                given = _next(model, given, kv, 0 if step == 0 else job["length"] + step - 1)
                _wait(job["place"])
                seconds.append(time.perf_counter() - began)
            prefills.append(seconds[0])
            steps.append(seconds[1:])
    decode = tuple(each for run in steps[1:] for each in run)
    return {"prefill": Timing(tuple(prefills[1:])).document(), "decode": Timing(decode).document()}


def _next(model: "nn.Module", given: "Tensor", kv: "Tensor", pos: int) -> "Tensor":
    found: Tensor = model(given, kv, pos)[:, -1:].argmax(dim=-1)
    return found


def _wait(place: str) -> None:
    """Until the device has done all that it was given."""
    import torch

    if place == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
