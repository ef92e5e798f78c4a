"""What ONNX Runtime makes of model files for CUDA, in a process of its own."""

import json
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx
import onnxruntime


def loaded(path: str, options: dict[str, str]) -> dict[str, Any]:
    """The operators that run on the CPU, what is copied between devices, and why it is refused."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "made.onnx"
        chosen = onnxruntime.SessionOptions()
        chosen.log_severity_level = 4
        chosen.optimized_model_filepath = str(made)
        chosen.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        try:
            session = onnxruntime.InferenceSession(
                path,
                chosen,
                [("CUDAExecutionProvider", options), "CPUExecutionProvider"],
                enable_fallback=0,
            )
        except Exception as error:
            return {"refused": str(error)}
        nodes = onnx.load(made, load_external_data=False).graph.node
    parts = session.get_provider_graph_assignment_info()
    on_cpu = [node.op_type for p in parts if p.ep_name.startswith("CPU") for node in p.get_nodes()]
    copies = [f"{node.op_type} {node.input[0]}" for node in nodes if "Memcpy" in node.op_type]
    return {"on_cpu": Counter(on_cpu), "copies": copies}


if __name__ == "__main__":
    json.dump([loaded(*each) for each in json.load(sys.stdin)], sys.stdout)
