"""Whether models run on a device, a prompt and what goes on behind it: asked in a process."""

import json
import sys
from pathlib import Path

import numpy as np

from compiler.runtime.bench.feed import feed
from compiler.runtime.continued import Continued
from compiler.runtime.opening import open_session
from compiler.runtime.roles import grown


def fault(folder: str) -> str:
    """Why a model does not run; empty where it does."""
    try:
        run(Path(folder))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def run(folder: Path) -> None:
    """Two sequences, and of what continues them steps in a growing cache and in buffers; one
    sequence that goes on by a piece."""
    session = open_session(folder, device="cuda", options={"enable_cuda_graph": "0"})
    grows, given = grown(session), feed(session, 2, 3, 3)
    session.run(given)
    if not session.past or grows is None:
        return
    for batch, ends, room in ((2, (3, 4, 5), None), (2, (3, 4, 5), 8), (1, (3, 7, 8), 8)):
        given = {name: array[:batch] for name, array in feed(session, 2, 3, 3).items()}
        beside = {name: array for name, array in given.items() if name != grows.ids}
        going = Continued(session, grows, beside, batch, room)
        for end in ends:
            going.logits(np.ones((batch, end), np.int64))


if __name__ == "__main__":
    json.dump([fault(each) for each in json.load(sys.stdin)], sys.stdout)
