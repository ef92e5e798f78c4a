"""What ONNX Runtime says where it refuses, without the numbers and words of its own log."""

import re
from typing import Final

PREFIX: Final = re.compile(r"^\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : ")
PLACE: Final = re.compile(
    r"/\S*/onnxruntime/\S+:\d+ (?:(?:[a-z*&: ]+ )?onnxruntime::[\w:]+\(.*?\)(?: const)? )?(?=\S)"
)
"""A file of its sources, a line and, mostly, the function in it with what that takes."""
MOST: Final = 300


def refusal(error: Exception) -> str:
    """The error in one line of at most `MOST` characters."""
    said = PREFIX.sub("", " ".join(str(error).split()))
    return PLACE.sub("", said)[:MOST].rstrip()
