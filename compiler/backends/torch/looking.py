"""How to look at the weights that a model keeps, as the docstring of `attend.py` shows it."""

from collections.abc import Sequence

from compiler.ir.program import Program
from compiler.ops.kept import KeptAttention, KeptLatentAttention, KeptSourceWeights


def keeps(program: Program) -> bool:
    """Whether anything in a program keeps its attention weights."""
    return any(
        isinstance(node.what, KeptAttention | KeptLatentAttention | KeptSourceWeights)
        for graph in program.graphs.values()
        for node in graph
    )


def looking(program: Program, name: str, given: Sequence[str]) -> list[str]:
    """A run of the built weights, and what it left; `given` are the inputs of a call."""
    loaded = '    model.load_state_dict(safetensors.torch.load_file("model.safetensors"))'
    return [
        "`archc attend` on the folder of this file draws its heat maps. By hand, a run and what it",
        "kept; each further run adds to the lists, so clear them in between:",
        "",
        f"    model = {name}().eval()",
        *([loaded] if program.parameters() else []),
        "    with torch.inference_mode():",
        f"        model({', '.join(given)})",
        "    for name, module in model.named_modules():",
        '        for weights in getattr(module, "kept", ()):',
        "            print(name, tuple(weights.shape))",
    ]
