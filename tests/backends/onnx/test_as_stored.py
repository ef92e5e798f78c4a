"""Matrices that lie [in, out]: turned where products alone read them."""

from compiler.backends.onnx.as_stored import as_stored
from compiler.backends.onnx.listing import Listing, Step, Weight


def product(name: str, matrix: str) -> Step:
    return Step(name, "FusedMatMul", ("x", matrix), (name,), {"transB": 1}, "com.microsoft")


def listing(*steps: Step) -> Listing:
    made = Listing(steps=list(steps))
    for name in ("a", "b"):
        made.weights[name] = Weight(name, name, (3, 2))
    return made


def test_a_matrix_that_lies_turned_is_read_so() -> None:
    found = as_stored(listing(product("y", "a"), product("z", "b")), lambda w: w.parameter == "a")
    one, other = found.flat()
    assert one.inputs == ("x", "a.T") and not one.attributes
    assert other == product("z", "b")
    assert found.weights["a.T"] == Weight("a.T", "a", (2, 3), transposed=True)
    assert list(found.weights) == ["a.T", "b"]


def test_a_table_whose_rows_are_looked_up_stays() -> None:
    rows = Step("rows", "Gather", ("a", "ids"), ("rows",), {"axis": 0})
    given = listing(product("y", "a"), rows)
    assert as_stored(given, lambda w: w.parameter == "a") == given


def test_nothing_changes_where_nothing_lies_turned() -> None:
    given = listing(product("y", "a"))
    assert as_stored(given, lambda _: None) is given
