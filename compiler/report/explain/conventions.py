"""By which convention a number is counted, and who counts so."""

import re
from typing import Final

from archspec.source.frozen import Frozen


class Convention(Frozen):
    """A sentence, and the paper or program that it is from."""

    said: str
    source: str


PRODUCTS: Final = Convention(
    "A multiply-add is 2 FLOPs, and every pair of an attention is counted, masked or not; biases "
    "and other elementwise work are not in it.",
    "Chowdhery et al. 2022 (PaLM), appendix B; torch's FlopCounterMode counts the same",
)
STATES: Final = Convention(
    "A weight has itself, a gradient and the states of its optimizer; below float32 a master copy "
    "in float32 too.",
    "Rajbhandari et al. 2020 (ZeRO), section 3.1",
)
ROUNDED: Final = Convention(
    "Matrices and tables are integers with a scale for each block of inputs and, where zero has a "
    "code, that too; what is small or wants all its digits is in floats: to the byte what "
    "`archc build` writes.",
    "ONNX Runtime: MatMulNBits and GatherBlockQuantized of com.microsoft",
)
KNOWN: Final[tuple[tuple[str, Convention], ...]] = (
    (
        r"training_flops|training_model_flops",
        Convention(
            "What the hardware runs has recomputation in it, what the model asks for has not.",
            "Chowdhery et al. 2022 (PaLM), appendix B: HFU and MFU",
        ),
    ),
    (
        r"backward_flops",
        Convention(
            "Each product has two for its gradients, less where none is needed; a fused attention "
            "makes its scores once more: five products for two.",
            "Kaplan et al. 2020, section 2.1; Dao 2023 (FlashAttention-2), section 4.1",
        ),
    ),
    (
        r"recompute_flops",
        Convention(
            "`selective` computes the inside of unfused attentions again, `full` every layer.",
            "Korthikanti et al. 2022, section 5",
        ),
    ),
    (
        r"(gradients|master_weights|optimizer|training_states)_bytes",
        STATES,
    ),
    (
        r"training_tensors_bytes",
        Convention(
            "Tensors of a forward and of its loss go as the backward pass is done with them; each "
            "gradient is there until it is added to the one that its weight has.",
            "torch's autograd engine: AccumulateGrad adds in place",
        ),
    ),
    (
        r"training_peak_bytes",
        Convention(
            "Weights and states all the time; tensors of a forward and of its loss, the mean of "
            "cross entropies or squares, go as the backward pass is done with them, which adds "
            "gradients up in place. The optimizer writes in place, too.",
            "torch's autograd engine, watched operation by operation on fake tensors",
        ),
    ),
    (
        r"saved_bytes|.*peak_bytes",
        Convention(
            "Every tensor from the operator that makes it to the last that reads it; for training "
            "to the backward pass, where that needs it. Views are no tensors of their own.",
            "Korthikanti et al. 2022, section 4.1, without its approximations",
        ),
    ),
    (
        r"(matmul|attention)_(flops|macs)_causal",
        Convention(
            "Only pairs that causal masks let through, exactly: S·T - T·(T - 1)/2 of T new "
            "positions among S, fewer in a window.",
            "Dao 2023 (FlashAttention-2), section 4.1, which halves S·T instead",
        ),
    ),
    (
        r"matmul_macs",
        Convention(
            "A multiply-add is one: what papers on vision and fvcore print as FLOPs.",
            "He et al. 2016, table 1: `FLOPs (multiply-adds)`",
        ),
    ),
    (
        r"(elementwise|all)_flops",
        Convention(
            "Constants an element: softmax 5, LayerNorm 5, RMSNorm 4, GELU 8, SiLU and tanh 5, "
            "rotary 3, sums and products 1.",
            "Clark et al. 2020 (ELECTRA), flops_computation.py",
        ),
    ),
    (
        r"decode_flops",
        Convention(
            "Products for one new position, after all others are in the cache.",
            "Kaplan et al. 2020, section 2.1: 2N and what attention adds",
        ),
    ),
    (
        r"(matmul|linear|attention)_flops",
        PRODUCTS,
    ),
    (
        r"sequential_steps",
        Convention(
            "Computations that wait for each other along a sequence.",
            "Vaswani et al. 2017, table 1",
        ),
    ),
    (
        r"parameters_(non_)?embedding",
        Convention(
            "Tables that ids and places pick rows of; a tied table is counted once.",
            "Kaplan et al. 2020, section 1.3: N is without them",
        ),
    ),
    (
        r"parameters_frozen",
        Convention(
            "What is kept with the weights and changed by a rule of its own: the corrections of "
            "routers.",
            "DeepSeek-AI 2024 (DeepSeek-V3), section 2.1.2: biases that balance the load",
        ),
    ),
    (
        r"parameters_active",
        Convention(
            "What one position makes use of, tables included.",
            "Jiang et al. 2024 (Mixtral), section 2.1",
        ),
    ),
    (
        r"uses",
        Convention(
            "Every operator once in each layer that runs it, all steps of a recurrence as one.",
            "torch's forward hooks count modules the same",
        ),
    ),
    (
        r"parameters",
        Convention(
            "Elements that training changes; what is shared or tied is counted once.",
            "torch.nn.Module.parameters counts the same",
        ),
    ),
    (
        r"source_kv_bytes",
        Convention(
            "Of an encoded source, for all layers that attend to it, once for all steps.",
            "Vaswani et al. 2017, section 3.2.3: keys and values are of the encoder's output",
        ),
    ),
    (
        r"kv_.*",
        Convention(
            "Keys and values of every layer with a cache, as many heads as it keeps, at all "
            "positions that a later one can see: min(S, W) of them with a window W. The generated "
            "code keeps those before it too, which `kv_held_bytes` counts.",
            "Kwon et al. 2023 (PagedAttention), section 3: 800 KB a token for OPT-13B; "
            "Jiang et al. 2023 (Mistral 7B), section 2: a rolling cache of W positions",
        ),
    ),
    (
        r"attention_(matrix|scores).*",
        Convention(
            "A score for every head and pair, as an unfused kernel writes them to memory.",
            "Dao et al. 2022 (FlashAttention), section 2.2, algorithm 0",
        ),
    ),
    (
        r"attention_(fused|statistics).*",
        Convention(
            "A float32 log-sum-exp a row and head is all that a fused kernel keeps of its scores.",
            "Dao 2023 (FlashAttention-2), section 3.1",
        ),
    ),
    (
        r"attention_bias_bytes",
        Convention(
            "A number for every head and pair that is added to scores.",
            "Raffel et al. 2020 (T5), section 2.1",
        ),
    ),
    (
        r".*(read|written)_bytes|decode_weights_bytes",
        Convention(
            "Every operator by itself: each input and weight read once, each output written once.",
            "Williams et al. 2009 (roofline): compulsory traffic",
        ),
    ),
    (
        r".*_bytes",
        Convention(
            "Elements times the size of their type; 1 KiB is 1024 bytes.",
            "IEC 80000-13",
        ),
    ),
)


def convention(figure: str) -> Convention:
    """The convention of a total or of a figure of an operator."""
    return next((found for name, found in KNOWN if re.fullmatch(name, figure)), PRODUCTS)
