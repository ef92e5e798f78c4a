"""Functions beside the classes: each once, under a name that nothing else has."""

from compiler.backends.torch.functions import Functions
from compiler.ir.letters import Letters

ONE = "\ndef {name}(x):\n    return x\n"
TWO = "\ndef {name}(x):\n    return -x\n"


def test_a_function_is_kept_once() -> None:
    found = Functions()
    assert [found.add("turn", ONE, {}) for _ in range(3)] == ["turn"] * 3
    assert found.texts(Letters()) == ["def turn(x):\n    return x"]


def test_another_text_of_the_same_name_gets_a_number() -> None:
    found = Functions()
    assert [found.add("turn", text, {}) for text in (ONE, TWO, ONE, TWO)] == [
        "turn",
        "turn_2",
        "turn",
        "turn_2",
    ]
    assert found.texts(Letters())[1] == "def turn_2(x):\n    return -x"


def test_a_class_of_the_model_keeps_its_name() -> None:
    found = Functions(frozenset({"LayerScale"}))
    assert found.add("LayerScale", ONE, {}) == "LayerScale_2"


def test_functions_come_in_the_order_of_first_use() -> None:
    found = Functions()
    for name in ("b", "a", "b", "c"):
        found.add(name, ONE, {})
    assert list(found.sources) == ["b", "a", "c"]
