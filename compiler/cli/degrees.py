"""Degrees of parallelism on the command line: `tp=8,pp=4,dp=16,zero=1`."""

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from archspec.source.suggest import did_you_mean, listed
from compiler.answer import CannotAnswer
from compiler.cli.pairs import pairs

if TYPE_CHECKING:
    from compiler.report.costs import CostReport
    from compiler.report.parallel.degrees import Degrees
    from compiler.report.parallel.ranks import Ranks

ITEM: Final = re.compile(r"([a-z_]+)=([0-9]{1,9})")
USAGE: Final = "write degrees as `tp=8,pp=4,dp=16,zero=1`"
ELSEWHERE: Final = {
    "fsdp": "FSDP is `zero=3` over `dp` replicas: `dp=8,zero=3`",
    "ddp": "replicas are `dp`",
    "vpp": "pieces of the model on each stage are `interleave`",
}
"""What others call a way, and how it is written here."""


def across(report: "CostReport", text: str) -> "Ranks | None":
    """A model that was counted, spread over devices; nothing where no degrees are given."""
    return report.parallel(**asdict(parse_degrees(text))) if text else None


def parse_degrees(text: str) -> "Degrees":
    """Words and their numbers; those not named are 1, and `zero` is 0."""
    from compiler.report.parallel.degrees import WAYS, Degrees

    found: dict[str, int] = {}
    said = pairs(text.lower().split(","), ITEM, "is no degree of parallelism", USAGE)
    for name, number in said.items():
        if name not in WAYS:
            near = ELSEWHERE.get(name) or did_you_mean(name, WAYS)
            hint = near or f"there are {listed(WAYS, 'and')}"
            raise CannotAnswer(f"no way of parallelism is called `{name}`", hint)
        found[name] = int(number)
        try:
            Degrees(**{name: found[name]})
        except ValueError as error:
            raise CannotAnswer(str(error), WAYS[name]) from None
    return Degrees(**found)
