"""Options of ONNX Runtime's provider on the command line: `--provider-option KEY=VALUE`."""

import re
from collections.abc import Sequence
from typing import Final

from compiler.cli.pairs import pairs

ITEM: Final = re.compile(r"([^=]+)=(.+)", re.DOTALL)
USAGE: Final = "give an option and its value, such as `gpu_mem_limit=8000000000`"


def parse_options(said: Sequence[str]) -> dict[str, str]:
    """Options with their values; raises CannotAnswer for anything else."""
    return pairs(said, ITEM, "is no option of a provider with its value", USAGE)
