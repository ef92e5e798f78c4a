"""transformers itself in eager mode, timed as a built model is: `eager.py`, the job on stdin."""

import json
import sys
import time
from typing import Any

from compiler.runtime.bench.timing import Timing


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Times of prefill and steps as `compiler.runtime.bench.job` gives them; greedy ids."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(job["threads"])
    model = AutoModelForCausalLM.from_pretrained(job["build"]).eval()
    ids = torch.randint(model.config.vocab_size, (job["batch"], job["length"]))
    prefills, steps = [], []
    with torch.inference_mode():
        for _ in range(job["repeat"] + 1):
            given, past, seconds = ids, None, []
            for _ in range(job["steps"] + 1):
                began = time.perf_counter()
                found = model(given, past_key_values=past, use_cache=True, logits_to_keep=1)
                seconds.append(time.perf_counter() - began)
                past = found.past_key_values
                given = found.logits[:, -1].argmax(-1, keepdim=True)
            prefills.append(seconds[0])
            steps.append(seconds[1:])
    decode = tuple(each for run in steps[1:] for each in run)
    return {"prefill": Timing(tuple(prefills[1:])).document(), "decode": Timing(decode).document()}


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
