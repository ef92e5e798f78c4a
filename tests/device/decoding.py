"""What a decoder starts on a device, step by step, through our own sessions: asked in a process."""

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from compiler.runtime.buffers import Buffers
from compiler.runtime.continued import Continued
from compiler.runtime.opening import open_session
from compiler.runtime.roles import growing
from compiler.runtime.session import Session

COUNTERS = ("launches", "captures", "repeats")


def counted() -> dict[str, int]:
    """How many kernels and graphs were started until now."""
    (name,) = {
        line.split()[-1]
        for line in Path("/proc/self/maps").read_text(encoding="ascii").splitlines()
        if "libcudart" in line
    }
    library = ctypes.CDLL(name)
    return {each: getattr(library, f"pretended_{each}")() for each in COUNTERS}


def places(buffers: Buffers) -> list[int]:
    """Where what is kept lies."""
    return [value.data_ptr() for value in buffers.values.values()]


def stepped(session: Session, prompt: int, steps: int) -> dict[str, Any]:
    """Counters after the prompt and after each step."""
    buffers = session.buffers(1, prompt + steps)
    found, at = [], places(buffers)
    for seen in range(prompt, prompt + steps + 1):
        new = prompt if seen == prompt else 1
        given = {"ids": np.ones((1, new), np.int64), "ids_mask": np.ones((1, seen), np.int64)}
        outputs, _ = session.step(given, buffers)
        assert outputs["logits"].shape[:2] == (1, new)
        found.append(counted())
    kinds = sorted({value.data_type() for value in buffers.values.values()})
    return {"counts": found, "stays": places(buffers) == at, "kinds": kinds}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Whether launches are captured; if so or if asked for, what two sequences in steps start, one
    that is continued, and one in growing caches."""
    session = open_session(Path(question["folder"]), options=question["options"])
    about = {"device": session.device, "captures": session.captures}
    if not (session.captures or question["options"]):
        return about
    first, second, other = (stepped(session, 3, steps) for steps in (4, 4, 5))
    given = {"ids": np.ones((1, 3), np.int64)}
    going = Continued(session, growing(session), {}, 1, 6)
    new = [len(going.logits(np.ones((1, end), np.int64))) for end in (3, 4, 5)]
    before = counted()
    grown = session.step(given | {"ids_mask": np.ones((1, 3), np.int64)}, None)[1]
    ids = {"ids": np.ones((1, 1), np.int64), "ids_mask": np.ones((1, 4), np.int64)}
    session.step(ids, grown)
    return {
        **about,
        "first": first,
        "second": second,
        "other": other,
        "new": new,
        "without": {name: counted()[name] - before[name] for name in COUNTERS},
    }


if __name__ == "__main__":
    json.dump([answer(each) for each in json.load(sys.stdin)], sys.stdout)
