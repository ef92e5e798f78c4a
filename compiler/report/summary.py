"""What a person reads after a build: where things are, and what was built in a few figures."""

from collections.abc import Mapping, Sequence

from archspec.source.frozen import Frozen
from compiler.report.numbers import count, flops, memory


class Written(Frozen):
    """A folder that a build wrote: its files and their bytes together."""

    folder: str
    files: tuple[str, ...]
    size: int


def summary(
    name: str,
    written: Sequence[Written],
    totals: Mapping[str, int],
    at: str,
    seconds: float,
) -> list[str]:
    """Lines to print.

    `totals` are those of the cost report, counted at the lengths `at` (`B=1,T=1024`).
    """
    lines = [f"{name} built in {seconds:.1f} s"]
    width = max((len(each.folder) for each in written), default=0)
    for each in written:
        lines.append(f"  {each.folder:<{width}}  {', '.join(each.files)}  ({memory(each.size)})")
    lines.append(f"  {' · '.join(_figures(totals, at))}")
    attention = totals["attention_matrix_bytes_total"]
    if attention:
        fused = memory(totals["attention_fused_bytes_total"])
        lines.append(f"  attention: {memory(attention)} of scores unfused, {fused} fused (bf16)")
    return lines


def _figures(totals: Mapping[str, int], at: str) -> list[str]:
    found = [
        f"{count(totals['parameters'])} parameters",
        f"{flops(totals['matmul_flops'])} at {at}",
    ]
    if totals["kv_bytes_per_token"]:
        found.append(f"{memory(totals['kv_bytes_per_token'])} of KV per token")
    return found
