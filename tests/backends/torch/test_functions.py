"""Functions beside the classes: each once, under a name of its own, with letters that are true."""

import pytest

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


TURN = "\ndef {name}(x_BNTK):\n    K = x_BNTK.shape[-1]\n    return x_BNTK.view(K)\n"


@pytest.mark.parametrize(
    ("uses", "letter"),
    [(["K"], "K"), (["K", "K"], "K"), (["I"], "I"), (["K", "I"], "Z"), (["2*K"], "Z")],
)
def test_a_letter_says_the_size_of_every_use(uses: list[str], letter: str) -> None:
    key = Letters()
    names = [str(key.fixed("head_dim", size)) for size in (8, 12)]
    found = Functions()
    for use in uses:
        meant = {"K": names[0], "I": names[1]}.get(use, use)
        found.add("turn", TURN, {"B": "B", "N": "H", "T": "T", "K": meant})
    wanted = {"K": names[0], "I": names[1]}.get(letter, letter)
    assert found.texts(key)[0].startswith(f"def turn(x_BNT{wanted}):")


def test_a_length_that_is_another_constant_gets_another_letter() -> None:
    key = Letters()
    key.fixed("target", 17)
    found = Functions()
    found.add("rows", "\ndef {name}(T: int, x_T):\n    return x_T[:T]\n", {"T": "S"})
    assert found.texts(key) == ["def rows(S: int, x_S):\n    return x_S[:S]"]
