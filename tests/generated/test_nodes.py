"""Single nodes of a graph export with every length free and compile without a break."""

from typing import Any

import pytest
import torch

from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import build, call
from tests.generated.test_export import again, exported
from tests.lower.specs import Tree, model
from tests.verify.models import made

D = 12
PADDED: Tree = {"x": {"features": {"shape": ["T", D], "padded": True}}}
IDS: Tree = {"ids": {"tokens": {"padded": True}}}
STEM: Tree = {
    "convs": [{"kernel": 3, "pad": 1}, {"kernel": 3, "stride": 2, "pad": 1}],
    "in_dim": D,
    "dim": D,
    "act": "gelu",
    "positions": {"learned": 40},
}


def embed(**more: Any) -> Tree:
    return model({"y": {"embed": {"vocab": 9, "dim": D, **more}, "in": "ids"}}, IDS)


def over(*nodes: Tree) -> Tree:
    graph = {f"y{n}": node for n, node in enumerate(nodes)}
    graph["y0"] = {**graph["y0"], "in": "x"}
    return model(graph, PADDED)


SPECS: dict[str, Tree] = {
    "counted over a mask": embed(positions={"learned": 40, "offset": 2, "from": "mask"}),
    "counted over ids": {
        **embed(positions={"learned": 40, "offset": 2, "from": "nonpad"}),
        "inputs": {"ids": "tokens"},
    },
    "zeros at padding": embed(mask_pads=True),
    "a pool by attention": over({"pool": {"attention": {"heads": 3}}}),
    "a stem": over({"conv_stem": STEM}, {"attention": {"heads": 3}}, {"pool": "mean"}),
    "a stride": over({"conv": {"kernel": 4, "stride": 3, "pad": "valid"}}, {"pool": "last"}),
    "the mean of what is left": model(
        {"y": {"pool": {"mean": {"skip": 2}}, "in": "x"}}, {"x": {"features": ["T", D]}}
    ),
    "one behind the other": model(
        {"y": {"concat": {"axis": "position"}, "in": ["x", "z"]}, "w": {"attention": {"heads": 3}}},
        {**PADDED, "z": {"features": ["S", D]}},
    ),
    "two towers": model(
        {
            "a": {"pool": "mean", "in": "x"},
            "b": {"pool": "last", "in": "x"},
            "y": {"contrast": {"bias": True}, "in": ["a", "b"]},
        },
        PADDED,
    ),
}


@pytest.mark.parametrize("name", SPECS)
def test_every_length_is_free(name: str) -> None:
    compiled = made(SPECS[name])
    module = build(compiled.generated)
    given = example(compiled.spec, compiled.program, 3, 9).values
    program = exported(compiled, module, given).module()
    fast = build(compiled.generated)
    torch._dynamo.reset()
    fast.compile(fullgraph=True, backend="eager")
    for batch, length in ((2, 13), (4, 10)):
        values = example(compiled.spec, compiled.program, batch, length).values
        with torch.no_grad():
            wanted = call(module, values)
            assert apart(again(program, values, module), wanted) <= 1e-6
            assert apart(call(fast, values), wanted) <= 1e-6
