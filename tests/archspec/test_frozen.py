"""Frozen classes against what the standard library makes of the same fields."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archspec.source.frozen import Frozen


class Point(Frozen):
    """Two required fields and one with a default."""

    kind: ClassVar[str] = "point"

    x: int
    y: str
    z: tuple[int, ...] = (1,)


class Bare(Frozen, abstract=True):
    """To be inherited from."""


class Deep(Point):
    """A field more, and a rule."""

    w: float = 0.5

    def __post_init__(self) -> None:
        if self.w < 0:
            raise ValueError("below zero")


@dataclass(frozen=True)
class Ordinary:
    """The same as `Deep`."""

    x: int
    y: str
    z: tuple[int, ...] = (1,)
    w: float = 0.5


GIVEN = st.tuples(st.integers(0, 1), st.sampled_from("ab"), st.tuples(), st.sampled_from([0.5, 1]))


@given(GIVEN, GIVEN, st.integers(2, 4))
def test_it_is_what_a_frozen_dataclass_is(one: Any, two: Any, count: int) -> None:
    ours, theirs = Deep(*one[:count]), Ordinary(*one[:count])
    assert repr(ours) == repr(theirs).replace("Ordinary", "Deep")
    assert hash(ours) == hash(theirs)
    assert (ours == Deep(*two)) == (theirs == Ordinary(*two))
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]
    assert repr(replace(ours, w=2)) == repr(replace(theirs, w=2)).replace("Ordinary", "Deep")
    assert list(vars(ours).items()) == list(vars(theirs).items())


def test_classes_are_told_apart() -> None:
    assert Point(1, "a") != Deep(1, "a")
    assert Point(1, "a") != (1, "a", (1,))
    assert Point.kind == "point"


def test_names_may_be_given() -> None:
    assert Deep(y="a", x=1, w=2) == Deep(1, "a", w=2)
    match Deep(1, "a"):
        case Point(x, y):
            assert (x, y) == (1, "a")


@pytest.mark.parametrize(
    ("values", "named", "said"),
    [
        ((1,), {}, "Deep lacks y"),
        ((1, "a", (), 1, 1), {}, "Deep takes 4 arguments, not 5"),
        ((1, "a"), {"x": 1}, "Deep does not take x"),
        ((1, "a"), {"v": 1}, "Deep does not take v"),
    ],
)
def test_wrong_arguments_are_said(
    values: tuple[Any, ...], named: dict[str, Any], said: str
) -> None:
    make: Any = Deep
    with pytest.raises(TypeError, match=said):
        make(*values, **named)
    with pytest.raises(TypeError):
        Ordinary(*values, **named)


def test_nothing_is_changed_afterwards() -> None:
    point: Any = Point(1, "a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert point == Point(1, "a")


def test_checks_of_the_fields_are_made() -> None:
    with pytest.raises(ValueError, match="below zero"):
        Deep(1, "a", w=-1)


def test_copies_are_equal() -> None:
    one = Deep(1, "a")
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one


def test_a_decorator_changes_nothing() -> None:
    @dataclass(frozen=True)
    class Decorated(Bare):
        """A field."""

        x: int

    assert Decorated(1) == Decorated(x=1)
    assert hash(Decorated(1)) == hash((1,))
    with pytest.raises(FrozenInstanceError):
        Decorated(1).x = 2  # type: ignore[misc]
