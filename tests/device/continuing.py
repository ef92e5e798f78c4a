"""Whether a decoder goes on upon a device, behind an encoder or alone: asked in a process."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from compiler.runtime.bench.feed import feed
from compiler.runtime.continued import Continued
from compiler.runtime.opening import open_session
from compiler.runtime.roles import growing
from tests.device.decoding import counted


def answer(folder: str) -> dict[str, Any]:
    """The shape of the logits after each id, and what was captured and repeated."""
    session = open_session(Path(folder))
    grows, given = growing(session), feed(session, 2, 3, 3)
    beside = {name: array for name, array in given.items() if name != grows.ids}
    going = Continued(session, grows, beside, 2, 8)
    shapes = [going.logits(np.ones((2, end), np.int64)).shape for end in (3, 4, 5, 6)]
    return {"shapes": shapes, "device": session.device, **counted()}


if __name__ == "__main__":
    json.dump([answer(each) for each in json.load(sys.stdin)], sys.stdout)
