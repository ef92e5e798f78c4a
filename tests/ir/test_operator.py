"""Operators: a class without a rule is no operator, and one from outside works like ours."""

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from compiler.ir.cost import Cost
from compiler.ir.graph import Graph, Node
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value
from compiler.ir.types import TensorType
from tests.backends.torch.live import Live

RULES: dict[str, Any] = {
    "cost": lambda self, n: Cost(),
    "torch": lambda self, w: w.x,
    "onnx": lambda self, b: b.x,
}


@dataclass(frozen=True)
class Bend(Operator, signature="x:*D; weight:DD, bias?:D -> y:*D"):
    """A third party's operator: sin(x W) + b, with a bias where `bias` says so."""

    bias: bool = False

    def draw(self, name: str, n: Any) -> Init:
        return Init("uniform", n["D"] ** -0.5) if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=2 * n.rest * n.D * n.D, elementwise=n.y)

    def module(self, w: Writer) -> str:
        return f"nn.Linear({w.dim('D')}, {w.dim('D')}{'' if self.bias else ', bias=False'})"

    def torch(self, w: Writer) -> str:
        return f"torch.sin({w.self}({w.x}))"

    def onnx(self, b: Builder) -> Any:
        y = b.op("MatMul", b.x, b.transposed("weight"))
        return b.op("Sin", b.op("Add", y, b.bias) if self.bias else y)


@pytest.mark.parametrize("missing", RULES)
def test_a_class_without_a_rule_cannot_be_defined(missing: str) -> None:
    rules = {name: rule for name, rule in RULES.items() if name != missing}
    with pytest.raises(TypeError, match=f"operator Half lacks its rule for {missing}"):
        type("Half", (Operator,), rules, signature="x:* -> y:*")


def test_all_missing_rules_are_named() -> None:
    with pytest.raises(TypeError, match="lacks its rule for cost, torch, onnx"):
        type("Empty", (Operator,), {}, signature="x:* -> y:*")


def test_parameters_without_a_way_to_draw_them_are_refused() -> None:
    with pytest.raises(TypeError, match="has parameters but lacks its rule for draw, module"):
        type("Undrawn", (Operator,), RULES, signature="x:*I; weight:OI -> y:*O")
    drawn = {**RULES, "draw": lambda self, name, n: Init("zeros")}
    with pytest.raises(TypeError, match="has parameters but lacks its rule for module"):
        type("Unmade", (Operator,), drawn, signature="x:*I; weight:OI -> y:*O")


def test_a_class_without_a_signature_is_refused() -> None:
    with pytest.raises(TypeError, match="operator Bare has no signature"):
        type("Bare", (Operator,), RULES)


def test_a_complete_class_is_an_operator() -> None:
    made = type("Whole", (Operator,), RULES, signature="x:* -> y:*")
    assert issubclass(made, Operator)
    assert not made.abstract


KEY = Letters()
B, D = KEY.free("batch"), KEY.fixed("width", 6)
X = TensorType("float", (B, D))


@pytest.mark.parametrize(("bias", "names"), [(False, ["weight"]), (True, ["weight", "bias"])])
def test_a_field_says_whether_an_optional_parameter_is_there(bias: bool, names: list[str]) -> None:
    found = Bend(bias).parameters([X], KEY)
    assert list(found) == names
    assert found["weight"].shape == (D, D)
    assert found["weight"].init == Init("uniform", 6**-0.5)
    assert value(found["weight"].count, KEY.sizes) == 36


def test_a_use_knows_letters_ports_and_the_rest() -> None:
    n = Bend().use([TensorType("float", (B, 4, D))], [X], KEY)
    assert n.D == D
    assert n.rest == 4 * B
    assert n.x == 4 * B * D
    assert n.y == B * D
    with pytest.raises(AttributeError, match="Q"):
        _ = n.Q


@dataclass(frozen=True)
class Fixed(Operator, signature="x:*D -> y:*O"):
    """An operator with a field for a dimension that may be left open."""

    O: Size | None = None

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.x}"

    def onnx(self, b: Builder) -> Any:
        return b.x


def test_a_field_called_like_a_letter_fixes_that_dimension() -> None:
    assert [str(t) for t in Fixed(D).infer([X], KEY)] == ["float[B D]"]
    with pytest.raises(KeyError, match="O"):
        Fixed().infer([X], KEY)


def test_a_third_partys_operator_goes_all_the_way_to_a_running_module() -> None:
    main = Graph("main", "m")
    x = main.enter("x", X)
    (y,) = main.add(Node("bend", Bend(bias=True), (x,), Bend(bias=True).infer([X], KEY)))
    main.outputs["y"] = y
    found = Live(Program("bent", {"main": main}, "main", KEY))
    given = torch.randn(3, 6).double()
    weight, bias = found.weights["bend.weight"], found.weights["bend.bias"]
    (result,) = found.found({"x": given})
    assert torch.allclose(result, torch.sin(given @ weight.T + bias))


@dataclass(frozen=True)
class Polynomial(Operator, signature="x:*D -> y:*D"):
    """An operator whose torch rule says its input three times: x² - 3x + x."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=4 * n.y)

    def torch(self, w: Writer) -> str:
        return f"{w.x} ** 2 - 3 * {w.x} + {w.x}"

    def onnx(self, b: Builder) -> Any:
        return b.op("Sub", b.op("Mul", b.x, b.x), b.op("Add", b.x, b.x))


def test_a_rule_may_say_an_input_as_often_as_it_likes() -> None:
    main = Graph("main", "m")
    x = main.enter("x", X)
    (bent,) = main.add(Node("bend", Bend(), (x,), Bend().infer([X], KEY)))
    (y,) = main.add(Node("polynomial", Polynomial(), (bent,), Polynomial().infer([X], KEY)))
    main.outputs["y"] = y
    found = Live(Program("bent", {"main": main}, "main", KEY))
    given = torch.randn(3, 6).double()
    wave = torch.sin(given @ found.weights["bend.weight"].T)
    (result,) = found.found({"x": given})
    assert torch.allclose(result, wave**2 - 2 * wave)
    assert found.generated.text.count("self.bend(") == 1
