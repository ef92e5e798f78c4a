"""`rnn` as a node and as a mixer against loops written out; final states; what goes in steps."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import archspec
from compiler.ir.program import Program
from compiler.lower import lower
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build
from tests.history.recurrences import below, ours, run
from tests.parity.ours import BAR

D = 6


def model(graph: dict[str, Any], **others: Any) -> Compiled:
    """A model over features [B, T, D]."""
    written = {"name": "m", "inputs": {"x": {"features": ["T", D]}}, "graph": graph, **others}
    made = compiled(archspec.load(written))
    assert isinstance(made, Compiled), made
    return made


def program(spec: dict[str, Any]) -> Program:
    found = lower(archspec.load(spec))
    assert isinstance(found, Program), found
    return found


def features(rows: int = 3, length: int = 50) -> Tensor:
    return torch.randn(rows, length, D, generator=torch.Generator().manual_seed(length))


@pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])
@pytest.mark.parametrize(("layers", "both"), [(1, False), (3, False), (1, True), (2, True)])
def test_layers_and_ways(cell: str, layers: int, both: bool, tmp_path: Path) -> None:
    part = {"cell": cell, "dim": 5, "layers": layers, "bidirectional": both}
    pair = ours(model({"y": {"rnn": part, "in": "x"}}), tmp_path)
    w, x = below(pair.model.state_dict(), "y"), features()
    wanted = torch.stack([run(cell, row, w, layers, 1 + both)[0] for row in x])
    pair.agrees({"x": x}, [wanted])


@pytest.mark.parametrize(
    ("edge", "columns"), [("m.final", (2, 3)), ("m.final.fwd", (2,)), ("m.final.bwd", (3,))]
)
def test_the_final_state_is_the_top_layers(
    edge: str, columns: tuple[int, ...], tmp_path: Path
) -> None:
    graph = {
        "m": {"rnn": {"cell": "gru", "dim": 5, "layers": 2, "bidirectional": True}, "in": "x"},
        "y": {"linear": {"dim": 4}, "in": edge},
    }
    pair = ours(model(graph), tmp_path)
    w, x = pair.model.state_dict(), features(2, 9)
    lasts = [run("gru", row, below(w, "m"), 2, 2)[1] for row in x]
    ends = torch.stack([torch.cat([last[i][0] for i in columns]) for last in lasts])
    pair.agrees({"x": x}, [ends @ w["y.weight"].T])


@pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])
def test_a_token_mixer(cell: str, tmp_path: Path) -> None:
    """Within a residual step, of the model's width, from zeros, each layer with its own weights."""
    layer = {"mix": {"rnn": {"cell": cell, "dim": D}}}
    pair = ours(model({"h": {"stack": {"repeat": 2, "layer": layer}, "in": "x"}}), tmp_path)
    w, x = pair.model.state_dict(), features(2, 20)
    wanted = x
    for index in range(2):
        own = below(w, f"h.{index}.mix.rnn")
        wanted = wanted + torch.stack([run(cell, row, own, 1, 1)[0] for row in wanted])
    pair.agrees({"x": x}, [wanted])


def test_a_token_mixer_looks_back_only() -> None:
    layer = {"mix": {"rnn": {"cell": "gru", "dim": D}}}
    made = build(model({"h": {"stack": {"repeat": 2, "layer": layer}, "in": "x"}}).generated)
    x = features(1, 7).requires_grad_()
    made(x)[0, 3].sum().backward()
    assert x.grad is not None
    seen = x.grad[0].abs().sum(dim=-1) > 0
    assert seen.tolist() == [True] * 4 + [False] * 3


def test_a_mixer_of_another_width_is_no_residual_step() -> None:
    layer = {"mix": {"rnn": {"cell": "gru", "dim": D, "bidirectional": True}}}
    graph = {"h": {"stack": {"repeat": 1, "layer": layer}, "in": "x"}}
    found = lower(
        archspec.load({"name": "m", "inputs": {"x": {"features": ["T", D]}}, "graph": graph})
    )
    assert isinstance(found, tuple)
    assert [diagnostic.code for diagnostic in found] == ["AR0306"]


def test_padded_rows_of_any_length(tmp_path: Path) -> None:
    """Both ways, each row is what it is alone; behind it stand zeros."""
    part = {"rnn": {"cell": "lstm", "dim": 5, "bidirectional": True}, "in": "x"}
    inputs = {"x": {"features": {"shape": ["T", D], "padded": True}}}
    pair = ours(model({"y": part}, inputs=inputs), tmp_path)
    w, x = below(pair.model.state_dict(), "y"), features(4, 8)
    mask = torch.arange(8) < torch.tensor([[8], [1], [5], [7]])
    wanted = torch.zeros(4, 8, 10)
    for row, real in enumerate(mask):
        wanted[row, real] = run("lstm", x[row, real], w, 1, 2)[0]
    pair.agrees({"x": x, "x_mask": mask}, [wanted])


def decoder(**changes: Any) -> dict[str, Any]:
    part = {"cell": "gru", "dim": 8, "init": {"from": "memory.final"}}
    return {
        "name": "m",
        "inputs": {"src": "tokens", "tgt": "tokens"},
        "graph": {
            "s": {"embed": {"vocab": 9, "dim": 7}, "in": "src"},
            "memory": {"rnn": {"cell": "gru", "dim": 8}},
            "t": {"embed": {"vocab": 9, "dim": 7, **changes.pop("embed", {})}, "in": "tgt"},
            "dec": {"rnn": {**part, **changes}},
            "y": {"unembed": {"vocab": 9}},
        },
    }


def test_a_decoder_goes_step_by_step() -> None:
    found = program(decoder())
    assert found.stepped == "tgt"
    ((start, end),) = found.states
    assert start.node == "memory"
    assert (end.node, end.port) == ("dec", 1)


@pytest.mark.parametrize(
    "changes",
    [{"embed": {"positions": {"learned": 9}}}, {"init": "zeros"}],
    ids=["places", "nothing to start from"],
)
def test_what_does_not_go_step_by_step(changes: dict[str, Any]) -> None:
    assert program(decoder(**changes)).stepped == ""


def test_input_order_does_not_change_letters() -> None:
    spec = decoder()
    turned = {**spec, "inputs": dict(reversed(spec["inputs"].items()))}
    shapes = [program(one).main.type(program(one).main.inputs["tgt"]) for one in (spec, turned)]
    assert shapes[0] == shapes[1]


def test_the_bar_is_met_over_long_sequences(tmp_path: Path) -> None:
    """200 steps through three layers: rounding does not pile up."""
    part = {"rnn": {"cell": "lstm", "dim": 16, "layers": 3}, "in": "x"}
    pair = ours(model({"y": part}), tmp_path)
    x = features(1, 200)
    wanted = run("lstm", x[0], below(pair.model.state_dict(), "y"), 3, 1)[0][None]
    assert (pair.model(x) - wanted).abs().max().item() <= BAR
    pair.agrees({"x": x}, [wanted])
