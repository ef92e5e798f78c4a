"""What the processor allows: the matrix products of a model and nothing else.

`python -m tests.bench.peers.products SHAPES KIND THREADS` prints the median seconds of a run.
"""

import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

BLOCK: Final = 128
REPEAT: Final = 15
KINDS: Final = ("fp32", "int8:column", "int8:128", "int4:128")
"""As MatMul, DynamicQuantizeMatMul, and MatMulNBits at accuracy level 4."""


@dataclass(frozen=True)
class Shapes:
    """`rows` of inputs, and the inputs and outputs of every matrix that multiplies them."""

    rows: int
    matrices: Sequence[tuple[int, int]]


BERT: Final = ((768, 768),) * 4 + ((768, 3072), (3072, 768))
LLAMA: Final = ((768, 1280), (768, 768), (768, 2048), (768, 2048), (2048, 768))
SHAPES: Final[Mapping[str, Shapes]] = {
    "BERT-base at 128": Shapes(128, BERT * 12),
    "ViT-B/16": Shapes(197, BERT * 12),
    "decode of the 125M Llama": Shapes(1, (*LLAMA * 12, (768, 32_000))),
    "its prefill of 512": Shapes(512, LLAMA * 12),
}


def model(shapes: Shapes, kind: str) -> bytes:
    """A graph of products side by side, every one with weights of its own."""
    import onnx
    from onnx import TensorProto as T
    from onnx import helper

    nodes, weights, outputs = [], [], []
    widths = dict.fromkeys(inputs for inputs, _ in shapes.matrices)
    given = [
        helper.make_tensor_value_info(f"x{width}", T.FLOAT, [shapes.rows, width])
        for width in widths
    ]
    for number, (inputs, out) in enumerate(shapes.matrices):
        held, said = matrix(kind, inputs, out, number)
        names = [f"w{number}.{i}" for i in range(len(held))]
        weights += [onnx.numpy_helper.from_array(w, n) for w, n in zip(held, names, strict=True)]
        domain = "" if kind == "fp32" else "com.microsoft"
        reads = [f"x{inputs}", *names]
        nodes.append(
            helper.make_node(OPERATORS[kind], reads, [f"y{number}"], domain=domain, **said)
        )
        outputs.append(helper.make_tensor_value_info(f"y{number}", T.FLOAT, [shapes.rows, out]))
    graph = helper.make_graph(nodes, "products", given, outputs, weights)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return made


OPERATORS: Final = {
    "fp32": "MatMul",
    "int8:column": "DynamicQuantizeMatMul",
    "int8:128": "MatMulNBits",
    "int4:128": "MatMulNBits",
}


def matrix(kind: str, inputs: int, outputs: int, seed: int) -> tuple[list[Any], dict[str, Any]]:
    """The weights of one product as its operator takes them, and its attributes.

    Every product has numbers of its own: the runtime holds equal ones once, and then a step reads
    one layer from its caches instead of twelve from memory.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    if kind == "fp32":
        return [rng.standard_normal((inputs, outputs), np.float32)], {}
    if kind == "int8:column":
        codes = rng.integers(-127, 128, (inputs, outputs), np.int8)
        return [codes, np.full(outputs, 0.01, np.float32)], {}
    bits, blocks = int(kind[3]), inputs // BLOCK
    codes = rng.integers(0, 256, (outputs, blocks, BLOCK * bits // 8), np.uint8)
    scales = np.full(outputs * blocks, 0.01, np.float32)
    said = {"K": inputs, "N": outputs, "bits": bits, "block_size": BLOCK, "accuracy_level": 4}
    return [codes, scales], said


def seconds(name: str, kind: str, threads: int) -> float:
    """The median of some runs, inputs and outputs bound once."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        model(SHAPES[name], kind), options, ["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    draws = np.random.default_rng(0)
    for each in session.get_inputs():
        binding.bind_cpu_input(each.name, draws.standard_normal(each.shape, np.float32))
    for each in session.get_outputs():
        made = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(each.shape, np.float32))
        binding.bind_ortvalue_output(each.name, made)
    found = []
    for _ in range(REPEAT + 1):
        began = time.perf_counter()
        session.run_with_iobinding(binding)
        found.append(time.perf_counter() - began)
    return statistics.median(found[1:])


if __name__ == "__main__":
    print(json.dumps({"seconds": seconds(sys.argv[1], sys.argv[2], int(sys.argv[3]))}))
