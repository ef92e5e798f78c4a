"""Matrix products of ONNX Runtime, for what a processor reaches in them."""

from collections.abc import Callable
from functools import partial
from typing import Any


def product(size: int, threads: int, *, rows: int | None = None) -> Callable[[], list[Any]]:
    """What multiplies a matrix of halves [rows, size], a square one by default, and a weight of
    halves [size, size] in float32 on `threads` of the processor, and gives the product.

    The weight is laid out beforehand, as in any model. Raises ImportError without onnx or
    onnxruntime.
    """
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    shape = (rows or size, size)
    left, made = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("left", "made")
    )
    halves = np.full((size, size), 0.5, np.float32)
    weight = numpy_helper.from_array(halves, "right")
    node = helper.make_node("MatMul", ["left", "right"], ["made"])
    graph = helper.make_graph([node], "product", [left], [made], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, ["CPUExecutionProvider"]
    )
    return partial(session.run, None, {"left": halves[: shape[0]]})
