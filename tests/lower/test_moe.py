"""Lowering a mixture of experts: its nodes, where it may stand, and what it refuses."""

from typing import Any

import pytest

from archspec.load import load
from archspec.source.diagnostic import Diagnostic
from compiler.ir.program import Program
from compiler.lower import lower
from compiler.ops import Combine, Dispatch, Dropout, GroupedLinear, Router

MOE: dict[str, Any] = {"experts": 4, "top_k": 2, "expert": {"hidden": 16, "act": "gelu"}}


def program(graph: dict[str, Any], **top: Any) -> Program | tuple[Diagnostic, ...]:
    inputs = {"x": {"features": ["T", 8]}}
    return lower(load({"name": "m", "inputs": inputs, "graph": graph, **top}))


def lowered(graph: dict[str, Any], **top: Any) -> Program:
    found = program(graph, **top)
    assert isinstance(found, Program), found
    return found


def operators(made: Program) -> dict[str, str]:
    return {path: type(node.what).__name__ for path, node, _ in made.flat()}


def test_a_router_and_a_graph_of_experts() -> None:
    assert operators(lowered({"y": {"moe": MOE, "in": "x"}})) == {
        "y.router": "Router",
        "y.experts.dispatch": "Dispatch",
        "y.experts.up": "GroupedLinear",
        "y.experts.act": "Activation",
        "y.experts.down": "GroupedLinear",
        "y.experts.combine": "Combine",
    }


def test_gated_experts_have_a_gate() -> None:
    made = lowered({"y": {"moe": {**MOE, "expert": {**MOE["expert"], "gated": True}}, "in": "x"}})
    kinds = list(operators(made).values())
    assert kinds.count("GroupedLinear") == 3
    assert kinds.count("Multiply") == 1


def test_a_shared_network_stands_beside_the_experts() -> None:
    shared = {"hidden": 12, "act": "silu", "gated": True, "token_gate": True}
    found = operators(lowered({"y": {"moe": {**MOE, "shared": shared}, "in": "x"}}))
    assert {path: kind for path, kind in found.items() if "experts" not in path} == {
        "y.router": "Router",
        "y.shared.gate": "Linear",
        "y.shared.up": "Linear",
        "y.shared.act": "Activation",
        "y.shared.mix": "Multiply",
        "y.shared.down": "Linear",
        "y.shared.token_gate": "Linear",
        "y.shared.gated": "TokenGate",
        "y.sum": "Add",
    }


def test_shares_of_the_input_reach_the_dispatch_and_not_the_sum() -> None:
    router = {"score": "none", "after_topk": "sigmoid", "weigh": "input"}
    made = lowered({"y": {"moe": {**MOE, "router": router}, "in": "x"}})
    weighed = {
        type(node.what).__name__: node.inputs[port] is not None
        for _, node, _ in made.flat()
        for kind, port in ((Dispatch, 2), (Combine, 1))
        if isinstance(node.what, kind)
    }
    assert weighed == {"Dispatch": True, "Combine": False}


def test_clamped_experts_are_one_operator() -> None:
    expert = {"hidden": 16, "act": "silu", "gated": True, "clamp": 7, "alpha": 1.7}
    found = operators(lowered({"y": {"moe": {**MOE, "expert": expert}, "in": "x"}}))
    assert found["y.experts.mix"] == "ClampedGlu"
    assert "y.experts.act" not in found


def test_only_routers_that_layers_share_add_up_their_losses() -> None:
    router = {"aux_loss": {"balance": 0.1}}
    for share, repeat in ((True, 2), (False, 2), (True, 1)):
        stack = {
            "repeat": repeat,
            "share": share,
            "layer": {"m": {"moe": {**MOE, "router": router}}},
        }
        made = lowered({"h": {"stack": stack, "in": "x"}}, defaults={"norm_at": "none"})
        training = [n.what.training for _, n, _ in made.flat() if isinstance(n.what, Router)]
        assert [each.repeated for each in training if each] == [share and repeat > 1] * len(
            training
        )


@pytest.mark.parametrize(
    ("router", "expected"),
    [
        ({}, ("softmax", None, False)),
        ({"renorm": True}, ("softmax", None, True)),
        ({"score": "none", "after_topk": "softmax"}, (None, "softmax", False)),
        ({"score": "none", "after_topk": "softmax", "renorm": True}, (None, "softmax", False)),
        ({"score": "none", "after_topk": "sigmoid", "renorm": True}, (None, "sigmoid", True)),
        ({"score": "sigmoid"}, ("sigmoid", None, False)),
    ],
)
def test_the_router_has_the_order_that_is_asked_for(
    router: dict[str, Any], expected: tuple[str | None, str | None, bool]
) -> None:
    """A softmax over the chosen adds up to one as it is."""
    made = lowered({"y": {"moe": {**MOE, "router": router}, "in": "x"}})
    (found,) = [node.what for _, node, _ in made.flat() if isinstance(node.what, Router)]
    assert (found.score, found.after_topk, found.renorm) == expected


def test_the_key_has_experts_and_those_of_a_token() -> None:
    key = lowered({"y": {"moe": {**MOE, "experts": "e"}, "in": "x"}}, dims={"e": 4}).key.key
    assert (key["E"].size, key["E"].said, key["E"].meaning) == (4, "e", "experts")
    assert (key["A"].size, key["A"].meaning) == (2, "experts per token")


def test_hidden_dropout_stands_within_the_experts() -> None:
    made = lowered(
        {"h": {"stack": {"repeat": 1, "layer": {"m": {"moe": MOE}}}, "in": "x"}},
        defaults={"norm_at": "none", "dropout": {"hidden": 0.5}},
    )
    drops = {path: node.what for path, node, _ in made.flat() if isinstance(node.what, Dropout)}
    assert drops == {"h.0.m.experts.drop": Dropout(0.5)}


def test_a_branch_of_parallel_mixers() -> None:
    branches = {"a": {"attention": {"heads": 2}}, "m": {"moe": MOE}}
    made = lowered(
        {"h": {"stack": {"repeat": 2, "layer": {"both": {"parallel": branches}}}, "in": "x"}},
        defaults={"norm_at": "none"},
    )
    assert "h.1.both.m.experts.0.up.weight" in made.parameters()


def test_the_matrix_that_ends_a_branch_is_drawn_narrower() -> None:
    made = lowered(
        {"h": {"stack": {"repeat": 4, "layer": {"m": {"moe": MOE}}}, "in": "x"}},
        defaults={"norm_at": "none", "init": {"normal": 0.02, "residual": "depth_scaled"}},
    )
    found = {
        path: node.what for path, node, _ in made.flat() if isinstance(node.what, GroupedLinear)
    }
    drawn = {path.rpartition(".")[2]: what.init.a for path, what in found.items() if what.init}
    assert drawn == {"up": 0.02, "down": 0.01}


def test_a_single_vector_is_refused() -> None:
    found = program({"p": {"pool": "mean", "in": "x"}, "y": {"moe": MOE}})
    assert isinstance(found, tuple)
    assert [problem.code for problem in found] == ["AR0407"]
