from types import ModuleType

import pytest
import torch

from compiler.verify.module import load_module
from compiler.verify.shape_names import Watch, look, watching

SOURCE = """
import torch

D, L = 6, 2


def double(x_BTK):
    y_BTK = x_BTK * 2
    return y_BTK


def run(x_BTD):
    B, T, _ = x_BTD.shape
    first_BD = x_BTD[:, 0]
    both_2BTD = torch.stack((x_BTD, x_BTD))
    seen_B11T = torch.ones(B, 1, 1, T)
    maybe_TT = None
    return double(x_BTD)
"""


def watched(source: str, *shape: int) -> Watch:
    """The source's `run` on a tensor of zeros, watched."""
    module: ModuleType = load_module(source, "watched")
    with watching("watched") as watch:
        module.run(torch.zeros(shape))
    return watch


def test_true_names_hold() -> None:
    watch = watched(SOURCE, 3, 5, 6)
    assert watch.wrong == []
    names = {name for _, name in watch.checked}
    assert names == {"x_BTD", "first_BD", "both_2BTD", "seen_B11T", "x_BTK", "y_BTK"}
    assert watch.check("names").ok


@pytest.mark.parametrize(
    ("said", "instead", "fault"),
    [
        ("first_BD = x_BTD[:, 0]", "first_BT = x_BTD[:, 0]", "`first_BT` is [3, 6]: T is 5, not 6"),
        ("both_2BTD", "both_3BTD", "3 is 3, not 2"),
        ("both_2BTD", "both_LBTD", ""),
        ("first_BD", "first_BDD", "`first_BDD` has 2 dimensions: [3, 6]"),
        ("D, L = 6, 2", "D, L = 7, 2", "D is 7, not 6"),
        ("B, T, _", "T, B, _", "T is 5, not 3"),
        ("y_BTK = x_BTK * 2", "y_BTK = x_BTK[:, 1:]", "T is 5, not 4"),
        ("y_BTK = x_BTK * 2", "y_BTK = x_BTK\n    y_BTK = y_BTK[..., 1:]", "K is 6, not 5"),
    ],
)
def test_a_false_name_is_found(said: str, instead: str, fault: str) -> None:
    wrong = watched(SOURCE.replace(said, instead), 3, 5, 6).wrong
    assert (fault in wrong[0]) if fault else (wrong == [])


def test_a_name_is_found_false_at_a_later_call() -> None:
    source = SOURCE.replace("return double(x_BTD)", "return double(double(x_BTD)[0])")
    assert "`x_BTK` has 2 dimensions" in watched(source, 3, 5, 6).wrong[0]


def test_free_letters_are_free_in_each_call() -> None:
    source = SOURCE.replace("return double(x_BTD)", "return double(double(x_BTD)[:, 1:])")
    assert watched(source, 3, 5, 6).wrong == []


def test_a_module_without_names_proves_nothing() -> None:
    watch = watched("def run(x):\n    y = x\n    return y\n", 2, 2)
    assert watch.check("names").ok is False


def test_other_code_is_not_watched() -> None:
    module = load_module(SOURCE, "other")
    with watching("watched") as watch:
        module.run(torch.zeros(3, 5, 6))
    assert watch.checked == set()


def test_the_tracer_before_is_back_afterwards() -> None:
    import sys

    before = sys.gettrace()
    with pytest.raises(ZeroDivisionError), watching("watched"):
        raise ZeroDivisionError
    assert sys.gettrace() is before


def test_names_that_claim_nothing() -> None:
    assert look("x", torch.zeros(2), {}, {}) is None
    assert look("x_BTD", None, {}, {}) is None
    assert look("MAX_LEN", 5, {}, {}) is None
    assert look("x_BD", torch.zeros(2, 3), {"D": 3}, {}) == ""
    assert look("B", 4, {"B": 5}, {}) == "B is 5, not 4"
