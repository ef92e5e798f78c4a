"""Sizes are integers that remember their text through copies and pickles."""

import copy
import pickle

from archspec.source.number import Sized


def test_it_is_an_integer() -> None:
    assert Sized(3072, "4*d_model") + 1 == 3073
    assert type(Sized(3) * 2) is int
    assert hash(Sized(3, "a")) == hash(3)


def test_it_remembers_its_text() -> None:
    size = Sized(3072, "4*d_model")
    for same in (size, copy.copy(size), copy.deepcopy(size), pickle.loads(pickle.dumps(size))):
        assert (same, same.said) == (3072, "4*d_model")
    assert Sized(12).said == "12"
