"""The first lines of a cost report: what a reviewer asks first."""

from collections.abc import Mapping

from archspec.source.frozen import Frozen
from compiler.passes.metrics import exact
from compiler.report.costs import CostReport
from compiler.report.kernels import FUSED
from compiler.report.mixtures import Mixture
from compiler.report.numbers import count, flops, grouped, memory, share, times


class Line(Frozen):
    """A name, its figure, and a remark."""

    name: str
    figure: str
    remark: str = ""


def verdict_lines(report: CostReport) -> list[Line]:
    """Parameters, weights, one forward, the cache, unfused and fused attention."""
    found = [*_weights(report), *_experts(report), *_work(report)]
    if report.totals["kv_bytes"]:
        found += _cache(report)
    if report.totals["attention_matrix_bytes_total"]:
        found += _attention(report)
    return found


def _weights(report: CostReport) -> list[Line]:
    total = report.totals
    tables = f"{count(total['parameters_embedding'])} of them in tables of ids and positions"
    full = report.totals_in("fp32")["weights_bytes"]
    return [
        Line(
            "parameters",
            count(total["parameters"]),
            tables if total["parameters_embedding"] else "",
        ),
        Line("weights", memory(total["weights_bytes"]), _in(report, full)),
    ]


def _in(report: CostReport, full: int) -> str:
    setting = report.setting
    said = f"in {setting.weights}"
    if setting.rounded is not None:
        said += f" as built for {setting.rounded.provider}"
    return said if setting.weights == "fp32" else f"{said}, {memory(full)} in fp32"


def batch(report: CostReport) -> int:
    """How many sequences are counted at once."""
    return report.at.get(report.costs.batch, 1)


def _experts(report: CostReport) -> list[Line]:
    """One line for all mixtures of a form."""
    forms = dict.fromkeys((m.experts, m.experts_per_token) for m in report.mixtures)
    first = {form: next(m for m in report.mixtures if _form(m) == form) for form in forms}
    sequences, active = batch(report), count(report.totals["parameters_active"])
    return [
        Line(
            "experts",
            f"{chosen} of {experts}",
            f"{active} parameters active for a token; {float(first[form].touched(sequences)):.3g} "
            f"experts a layer read by a decoding step of {grouped(sequences)}",
        )
        for form in forms
        for experts, chosen in [form]
    ]


def _form(mixture: Mixture) -> tuple[int, int]:
    return mixture.experts, mixture.experts_per_token


def _work(report: CostReport) -> list[Line]:
    total = report.totals
    parts = [flops(total["matmul_macs"], "MAC")]
    if total["matmul_flops_causal"] != total["matmul_flops"]:
        parts.append(
            f"{flops(total['matmul_flops_causal'])} over the pairs that causal masks let through"
        )
    attention = share(total["attention_flops"], total["matmul_flops"])
    if attention:
        parts.append(f"{attention} of it attention")
    return [Line("forward", flops(total["matmul_flops"]), ", ".join(parts))]


def _cache(report: CostReport) -> list[Line]:
    total, costs = report.totals, report.costs
    seen = report.at[costs.seen]
    return [
        Line(
            "one more token",
            flops(total["decode_flops"]),
            f"with {grouped(seen - 1)} in the cache{_read(report)}",
        ),
        Line(
            "cache",
            memory(total["kv_bytes_per_token"]),
            f"a token, {memory(total['kv_bytes'])} in all, in {report.precision}",
        ),
        *_held(total),
        *_source(report),
    ]


def _read(report: CostReport) -> str:
    """What a step reads, which is what rounding weights is for."""
    if report.setting.rounded is None:
        return ""
    every, weights = (memory(report.totals[f"decode_{name}_bytes"]) for name in ("read", "weights"))
    return f", reads {every}, {weights} of it weights"


def _held(total: Mapping[str, int]) -> list[Line]:
    """What the generated code keeps beside what windows let through."""
    name = "kv_held_bytes"
    remark = "as the generated code keeps it: what lies before a window stays"
    return [Line("cache held", memory(total[name]), remark)] if name in total else []


def _source(report: CostReport) -> list[Line]:
    """Keys and values of an encoded source."""
    found = report.totals["source_kv_bytes"]
    how = "the code makes them once" if report.costs.keeps_source else "the code makes them anew"
    remark = f"keys and values of the source, the same for every token; {how}"
    return [Line("source", memory(found), remark)] if found else []


def _attention(report: CostReport) -> list[Line]:
    total = report.totals
    layers = sum(
        exact(report.costs, row.uses, report.at) for row in report.costs.rows if row.attends
    )
    less = _less(report)
    matrix = memory(total["attention_matrix_bytes_total"])
    kept = memory(total["attention_fused_bytes_total"])
    each, fused = total["attention_matrix_bytes_layer"], total["attention_fused_bytes_layer"]
    return [
        Line(
            "attention matrix", memory(each), f"where nothing is fused, {matrix} for all {layers}"
        ),
        Line("fused attention", memory(fused), f"instead, {kept} for all {layers}: {less}"),
        *_bias(report),
    ]


def _less(report: CostReport) -> str:
    """How much a fused kernel saves; nothing where none is to be had, or rows are short."""
    names = ("attention_matrix_bytes_total", "attention_fused_bytes_total")
    matrix, kept = (report.totals[name] for name in names)
    if kept < matrix:
        return f"{times(matrix, kept)} less"
    if report.kernels and all(kernel.call == FUSED for kernel in report.kernels):
        return "no less, for a row of scores is as short as its sum"
    return "no kernel fuses it, its scores are in float32"


def _bias(report: CostReport) -> list[Line]:
    """Matrices that are added to scores, which no kernel saves."""
    found = report.totals["attention_bias_bytes"]
    remark = "written out for fused attention too, and as large as a mask for every head"
    return [Line("position bias", memory(found), remark)] if found else []
