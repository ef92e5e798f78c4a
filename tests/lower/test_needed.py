"""Only what the outputs need is compiled."""

from tests.lower.specs import MLP, Tree, encoder_decoder, over, program


def names(spec: Tree) -> list[str]:
    found = program(spec)
    return [node.id for node in found.main if node.id not in found.main.inputs]


CHAIN: Tree = {"a": MLP, "b": {**MLP, "in": "a"}, "c": {**MLP, "in": "a"}, "d": {**MLP, "in": "b"}}


def test_the_last_node_is_the_output_and_needs_what_it_reads() -> None:
    assert names(over(8, CHAIN)) == ["a", "b", "d"]


def test_outputs_that_are_named_are_kept() -> None:
    assert names(over(8, CHAIN, outputs=["c"])) == ["a", "c"]
    assert names(over(8, CHAIN, outputs=["d", "c"])) == ["a", "b", "c", "d"]


def test_sources_of_attention_and_owners_of_tables_are_needed() -> None:
    named = [name for name in names(encoder_decoder()) if "seen" not in name]
    assert named == ["a", "memory", "table", "b", "dec", "logits_table", "logits"]


def test_what_is_not_needed_has_no_parameters() -> None:
    assert not any(name.startswith("c.") for name in program(over(8, CHAIN)).parameters())
