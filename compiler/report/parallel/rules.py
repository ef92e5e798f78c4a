"""By which rule each transfer between ranks is counted, and whose rule it is."""

from typing import Final

from compiler.report.explain.conventions import Convention
from compiler.report.parallel.traffic import Transfer

RING: Final = Convention(
    "Collectives count as rings run them: of n equal parts a rank sends n - 1, twice for an "
    "all-reduce.",
    "Patarasuk & Yuan 2009; Rajbhandari et al. 2020 (ZeRO), section 7.1",
)
RULES: Final[dict[tuple[str, str], Convention]] = {
    ("tp", "inputs of maps, once more"): Convention(
        "A rank keeps its own part of what it gathered for a map, and gathers it again for the "
        "gradient of the map.",
        "Korthikanti et al. 2022, section 4.2.2; Megatron-LM, "
        "LinearWithGradAccumulationAndAsyncCommunication",
    ),
    ("tp", "losses"): Convention(
        "Three sums a position in float32: the largest score, the score of the target, the sum of "
        "exponentials; none backward.",
        "Shoeybi et al. 2019, section 3; Megatron-LM, vocab_parallel_cross_entropy",
    ),
    ("tp", "gradients of weights that are whole"): Convention(
        "What is whole on every tensor rank has a part of its gradient on each.",
        "Megatron-LM, finalize_model_grads",
    ),
    ("pp", "activations and their gradients"): Convention(
        "What layers carry goes on to the next stage in every microbatch, its gradient back.",
        "Narayanan et al. 2021, section 3.2",
    ),
    ("pp", "gradients of weights on several stages"): Convention(
        "A tied table is on the first and the last stage.",
        "Megatron-LM, finalize_model_grads",
    ),
    ("ep", "rows of experts"): Convention(
        "Every row goes to its experts and back, in a forward and in a backward pass.",
        "Lepikhin et al. 2021 (GShard), section 3.2",
    ),
    ("cp", "keys and values"): Convention(
        "They go all the way round in a forward; backward once more, with their gradients.",
        "Liu et al. 2023 (Ring Attention), section 3.2",
    ),
}
GROUPS: Final[dict[tuple[str, str], Convention]] = {
    ("tp", "all_reduce"): Convention(
        "A sum of each sublayer's result forward, of its input's gradient backward.",
        "Shoeybi et al. 2019 (Megatron-LM), section 3",
    ),
    ("tp", "all_gather"): Convention(
        "Each sublayer's input is gathered forward, its result's gradient backward.",
        "Korthikanti et al. 2022, section 4.2.2",
    ),
    ("tp", "reduce_scatter"): Convention(
        "Each sublayer's result is summed and scattered forward, its input's gradient backward.",
        "Korthikanti et al. 2022, section 4.2.2",
    ),
    ("dp", "all_reduce"): Convention(
        "Replicas sum gradients once a step.",
        "Rajbhandari et al. 2020 (ZeRO), section 7.1",
    ),
    ("dp", "reduce_scatter"): Convention(
        "Each replica gets the sum of those gradients whose states it keeps; from stage 2 on after "
        "every microbatch.",
        "Rajbhandari et al. 2020 (ZeRO), section 7.2",
    ),
    ("dp", "all_gather"): Convention(
        "Weights that were updated elsewhere; in stage 3 twice in every microbatch.",
        "Rajbhandari et al. 2020 (ZeRO), section 7.2",
    ),
}


def rule(transfer: Transfer) -> Convention:
    """The rule of one transfer."""
    known = RULES.get((transfer.group, transfer.what))
    return known or GROUPS[transfer.group, transfer.kind]
