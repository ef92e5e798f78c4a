"""What ONNX Runtime made of a model: where its nodes run, and what their products take."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from compiler.runtime.placed import Placed

PRODUCTS: Final = ("MatMul", "FusedMatMul", "MatMulNBits", "DynamicQuantizeMatMul", "Gemm")
ROWS: Final = ("Gather", "GatherBlockQuantized")
"""Operators that read some rows of a table."""
PACKED: Final = {"INT2": 2, "UINT2": 2, "INT4": 4, "UINT4": 4, "FLOAT4E2M1": 4}
"""Bits of the numbers of which several lie in a byte; numpy has a byte for each."""


def placed(events: Iterable[Mapping[str, Any]]) -> tuple[Placed, ...]:
    """Every node of a profile of one run, in the order in which they ran."""
    found = []
    for event in events:
        about = event.get("args", {})
        if event.get("cat") != "Node" or "provider" not in about:
            continue
        operator = about["op_name"]
        name = event["name"].removesuffix("_kernel_time")
        flops = _flops(about) if operator in PRODUCTS else 0
        found.append(Placed(name, operator, about["provider"], flops))
    return tuple(found)


def read_profile(path: Path) -> tuple[Placed, ...]:
    """The nodes of a profile that ONNX Runtime wrote."""
    return placed(json.loads(path.read_text(encoding="utf-8")))


def weight_bytes(path: Path) -> int:
    """Bytes of the weights that every run reads: all but tables of which some rows are read."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    whole = {name for node in graph.node if node.op_type not in ROWS for name in node.input}
    read = [each for each in graph.initializer if each.name in whole]
    return sum(math.ceil(math.prod(each.dims) * _bits(each.data_type) / 8) for each in read)


def _bits(kind: int) -> int:
    """The bits of a number of a `TensorProto.DataType`."""
    from onnx import TensorProto, helper

    packed = PACKED.get(TensorProto.DataType.Name(kind))
    return packed or 8 * helper.tensor_dtype_to_np_dtype(kind).itemsize


def _flops(about: Mapping[str, Any]) -> int:
    """2 · rows · columns · width: of a product whose left matrix is not turned."""
    (left,) = about["input_type_shape"][0].values()
    (made,) = about["output_type_shape"][0].values()
    return 2 * math.prod(map(int, made)) * int(left[-1] if left else 1)
