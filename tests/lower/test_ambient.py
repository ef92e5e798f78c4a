"""What layers take from around them is made once for all that need the same."""

from collections import Counter
from typing import Any

from compiler.ir.program import Program
from tests.lower.specs import ATTENTION, MLP, Tree, decoder, encoder_decoder, program


def made(spec: Tree) -> Counter[str]:
    """How many operators of each kind the root graph has."""
    found: Program = program(spec)
    return Counter(type(node.what).__name__ for node in found.main)


def turned(**rope: Any) -> Tree:
    return {"attention": {**ATTENTION["attention"], "rope": {"theta": 10000, **rope}}}


def test_equal_angles_are_computed_once() -> None:
    layer = {"a": turned(), "b": turned(), "m": MLP}
    assert made(decoder(layer))["RopeAngles"] == 1


def test_each_base_width_and_pairing_has_angles_of_its_own() -> None:
    layer = {
        "a": turned(),
        "b": turned(theta=500),
        "c": turned(dim=2),
        "d": turned(pairs="adjacent"),
    }
    assert made(decoder(layer))["RopeAngles"] == 4


def test_all_layers_share_one_mask_of_each_pair_of_sequences() -> None:
    assert made(decoder({"a": ATTENTION, "b": ATTENTION}))["CausalMask"] == 1
    found = made(encoder_decoder())
    assert (found["CausalMask"], found["KeyMask"]) == (1, 2)


def test_a_borrowed_table_is_one_value_for_each_reader() -> None:
    found = program(encoder_decoder())
    borrowed = {node.id: node.what for node in found.main if type(node.what).__name__ == "Borrow"}
    assert {what.path for what in borrowed.values()} == {"a.weight"}  # type: ignore[union-attr]


def test_a_repeat_passes_what_its_layers_need_in_their_order() -> None:
    found = program(decoder({"a": turned(), "m": MLP}))
    node = found.main["h"]
    graph = found.graphs["h.layer"]
    passed = [value.node for value in node.inputs if value is not None]
    assert passed == ["tok", "angle", "kv", "pos", "seen"]
    assert list(graph.inputs) == ["x", "angle", "kv", "pos", "seen"]
