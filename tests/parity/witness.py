"""The witness: a generated module as `torch.onnx.export` writes it, in ONNX Runtime."""

from pathlib import Path

import onnx_ir
import torch

from compiler.backends.onnx import MODEL
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.compiled import Compiled
from compiler.verify.examples import example
from tests.generated.traced import as_arguments, free_lengths

OPSET = 23


def witnessed(made: Compiled, model: torch.nn.Module, folder: Path) -> Session:
    """The model exported at one shape, every length of its inputs free; its weights learn no more.

    Where a bias of attention learns, torch traces another kernel than it converts, and fails.
    """
    model.requires_grad_(False)
    values = example(made.spec, made.program, 3, 9).values
    program = torch.onnx.export(
        model,
        (),
        kwargs=as_arguments(model, values),
        input_names=list(values),
        dynamic_shapes=free_lengths(made, model, values),
        dynamo=True,
        opset_version=OPSET,
        verbose=False,
    )
    assert program is not None
    assert program.model.opset_imports[""] == OPSET
    spread_masks(program.model)
    program.save(folder / MODEL)
    return open_session(folder, device="cpu")


def spread_masks(model: onnx_ir.Model) -> None:
    """Repeat masks for every query, as the standard does by itself and ONNX Runtime does not."""
    for attention in [node for node in model.graph if node.op_type == "Attention"]:
        if len(attention.inputs) < 4 or attention.inputs[3] is None:
            continue
        queries = onnx_ir.node("Shape", attention.inputs[:1], {"start": 2, "end": 3})
        one = onnx_ir.node("Constant", [], {"value_ints": [1]})
        shape = onnx_ir.node("Concat", [queries.outputs[0], one.outputs[0]], {"axis": 0})
        mask = onnx_ir.node("Expand", [attention.inputs[3], shape.outputs[0]])
        model.graph.insert_before(attention, [queries, one, shape, mask])
        attention.replace_input_with(3, mask.outputs[0])
