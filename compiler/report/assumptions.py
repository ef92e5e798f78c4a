"""What the numbers of a cost report take for granted, in words."""

from typing import Final

from compiler.ir.size import as_poly
from compiler.passes.cost_lengths import in_order
from compiler.passes.setting import Setting
from compiler.report.costs import CostReport
from compiler.report.numbers import grouped

CONVENTIONS: Final[dict[str, object]] = {
    "mac": 2,
    "attention": "every pair; `_causal` counts the pairs that causal masks let through",
    "elementwise": "electra-1",
    "binary_units": True,
}
"""Version them: a change of one changes what numbers mean."""
ELEMENTWISE: Final = (
    "softmax 5, LayerNorm 5, RMSNorm 4, GELU 8, SiLU and tanh 5, rotary 3 an element; additions, "
    "products and biases 1"
)

WINDOWED: Final = (
    " Behind a window nothing is seen again: `kv_bytes` leaves it out, the generated code keeps it "
    "(`kv_held_bytes`), and so do peaks and what fits."
)


def assumptions(report: CostReport) -> list[str]:
    """Sentences, each true of this model."""
    costs = report.costs
    found = [_lengths(report)]
    if costs.seen:
        found.append(
            f"{costs.target} counts the positions that one forward computes, {costs.seen} all that "
            f"it sees, cached ones too; a whole sequence at once has {costs.seen} = {costs.target}."
        )
    if any(row.operator == "SeenMask" for row in costs.rows):
        found.append(
            "`matmul_flops_causal` follows windows and pieces exactly, as if each row were one "
            "document; pairs that documents, padding or a given mask hide are still in it."
        )
    found += [
        "One multiply-add is 2 FLOPs; MACs are half the FLOPs of matrix products. Forward only.",
        "`matmul_flops` counts every pair of an attention, `matmul_flops_causal` the pairs that "
        "causal masks let through, exactly. Padding is computed, so it is counted.",
        "`elementwise_flops` has constants an element, after ELECTRA's flops_computation.py: "
        f"{ELEMENTWISE}. Look-ups, masks, reshapes and dropout count nothing.",
        "A tied table counts once as parameters, its matrix product always as FLOPs. Embedding "
        "parameters are the tables that ids or places pick rows of.",
        f"Bytes are of tensors alone, in {report.precision}; 1 KiB is 1024 bytes."
        f"{_rounded(report.setting)}",
        "`read_bytes` and `written_bytes` are of every operator by itself: each input and weight "
        "once, each output once; of a table the rows that are picked, of experts at most one a "
        f"choice; ids have 8 bytes, views move nothing.{_attended(report)}",
    ]
    if costs.memory is not None and not costs.memory.unknown:
        found.append(
            "What tensors come to is counted on the generated code as torch runs it on a CPU, over "
            "whole sequences with nothing cached: views share memory, each tensor that a backward "
            "pass keeps counts once. Weights, inputs and a loss are not in it."
        )
        if costs.total("steps").terms:
            found.append(
                "Recurrences keep what their cells make, step by step; they are counted for two "
                "steps or more, a peak of training for three or more. A library that runs whole "
                "sequences (oneDNN, cuDNN) has a workspace of its own instead. Packed rows are "
                "taken to be as long as the longest."
            )
    if costs.seen:
        windows = "kv_held_bytes" in report.formulas
        found.append(
            "The cache holds the keys and values of every causal self-attention, a slice a layer."
            f"{WINDOWED if windows else ''}"
        )
    if any(row.attends for row in costs.rows):
        found.append(
            "Unfused attention writes a score for every head and pair. The fused kernel, which the "
            "generated code calls, keeps one float32 log-sum-exp a row instead; its memory is "
            "linear in the length."
        )
    if any(row.operator == "ExplicitAttention" for row in costs.rows):
        found.append(
            "No kernel fuses an attention with soft-capped or additive scores or a sink: the "
            "generated code writes what lies between in float32, which counts as fused for it."
        )
    if any(as_poly(row.each.bias).terms for row in costs.rows):
        found.append(
            "Position biases are numbers for every head and pair that fused kernels read as well: "
            "this memory is not linear in the length. What layers share is counted once."
        )
    return found


def _rounded(setting: Setting) -> str:
    """What is counted of weights that are integers."""
    if setting.rounded is None:
        return ""
    by = f"`archc build --target {setting.rounded.provider} --precision {setting.weights}`"
    return (
        f" Weights are what {by} writes, to the byte: codes, scales and codes of zero, and in "
        f"{setting.precision} what is not rounded; activations and caches are {setting.precision}. "
        "What kernels unpack of them is not counted, and training has no integers."
    )


def _attended(report: CostReport) -> str:
    """What attention moves, where there is any."""
    if not any(row.attends for row in report.costs.rows):
        return ""
    cached = " A step reads all of the cache and writes a place." if report.costs.seen else ""
    return f" Unfused attention writes and reads scores before its softmax and behind it.{cached}"


def _lengths(report: CostReport) -> str:
    parts = [f"{known.name} = {grouped(report.at[known.name])}" for known in in_order(report.costs)]
    counted = f"Counted at {', '.join(parts)}"
    if report.asked or not report.context:
        return f"{counted}."
    written = [f"`inputs.{name}.max`" for name, said in report.context.items() if said]
    rest = [f"`inputs.{name}.max`" for name, said in report.context.items() if not said]
    unsaid = f"{' and '.join(rest)} by default: as far as the positions reach, else 2048"
    sources = "; ".join(
        [*([" and ".join(written)] if written else []), *([unsaid] if rest else [])]
    )
    return f"{counted}: one sequence of the context length ({sources})."
