"""What every operator is: fields, a signature, and all its rules in one class."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Final

from archspec.source.frozen import Frozen
from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.reach import HERE, Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.signature import Binding, Signature
from compiler.ir.size import Poly, Size, as_poly, constant, product
from compiler.ir.traffic import Traffic, moved
from compiler.ir.types import TensorType

RULES: Final = ("cost", "torch", "onnx")
OF_PARAMETERS: Final = ("draw", "module")


class Parameter(Frozen):
    """A tensor of weights: its shape and how it is drawn when nothing is loaded."""

    shape: tuple[Size, ...]
    init: Init
    apart: bool = False
    """Whether it stands for a tensor of each index of its first dimension: `experts.gate` is the
    parameters `experts.0.gate`, `experts.1.gate` and so on."""
    trained: bool = True
    """Whether a gradient reaches it; else it is a buffer, which goes with the weights and is not
    counted among them."""

    @property
    def count(self) -> Poly:
        """The number of elements."""
        return product(self.shape)


class Operator(Frozen, abstract=True):
    """One kind of node. Subclasses name their signature and must bring every rule:

    `class Linear(Operator, signature="x:*I; weight:OI, bias?:O -> y:*O")`

    A field that is called like a letter of the signature fixes that dimension; a class with a
    missing rule cannot be defined.
    """

    signature: ClassVar[Signature]
    fixing: ClassVar[tuple[str, ...]]  # fields that are called like letters
    abstract: ClassVar[bool] = True
    ordered: ClassVar[bool] = False  # whether it tells one place of a sequence from another
    locates: ClassVar[bool] = False  # whether it is there to say where things stand
    holder: ClassVar[str] = ""  # the class of the module that holds its matrix or filter
    operands: ClassVar[tuple[str, str]] = ("x", "weight")  # what its matrix product multiplies
    wraps: ClassVar[bool] = False  # whether `torch` is a call, so that a sum can be its argument
    named: ClassVar[bool] = False  # whether its result is called after its node, as `q` and `k` are
    view: ClassVar[bool] = False  # whether its result lies in memory that was there before
    measured: ClassVar[tuple[str, ...]] = ()  # inputs of which it reads the shape alone
    picks: ClassVar[bool] = False  # whether it reads but those rows of a table that come out
    looked_up: ClassVar[bool] = False  # whether its weights are a table for ids or places
    normalizes: ClassVar[bool] = False  # whether it brings vectors to one length or spread

    def __init_subclass__(cls, signature: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if signature is None:
            raise TypeError(f"operator {cls.__name__} has no signature")
        missing = [rule for rule in RULES if getattr(cls, rule) is getattr(Operator, rule)]
        if missing:
            raise TypeError(f"operator {cls.__name__} lacks its rule for {', '.join(missing)}")
        cls.signature = Signature.parse(signature)
        cls.fixing = tuple(f.name for f in fields(cls) if len(f.name) == 1 and f.name.isupper())
        needed = OF_PARAMETERS if cls.signature.parameters else ()
        absent = [rule for rule in needed if getattr(cls, rule) is getattr(Operator, rule)]
        if absent:
            said = f"operator {cls.__name__} has parameters but lacks its rule for"
            raise TypeError(f"{said} {', '.join(absent)}")
        cls.abstract = False

    @abstractmethod
    def cost(self, n: Sizes) -> Cost:
        """What one use costs, from the sizes `n` of its letters and ports."""

    @abstractmethod
    def torch(self, w: Writer) -> str:
        """The Python expression that computes the outputs."""

    @abstractmethod
    def onnx(self, b: Builder) -> Any:
        """Build the ONNX nodes; returns the output value, or a tuple where there are several."""

    def targets(self, names: Sequence[str]) -> str:
        """What `torch` is assigned to where there are several outputs; `_` stands for one that
        nobody reads."""
        return ", ".join(names)

    def module(self, w: Writer) -> str:
        """The expression that makes the torch module of the parameters, `w.self` in `torch`."""
        del w
        return ""

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        """How the parameter `name` is drawn when nothing is loaded; `n` has the sizes of the
        letters."""
        raise KeyError(name)

    def present(self, parameter: str) -> bool:
        """Whether an optional parameter is there; by default the field of the same name says so."""
        return bool(getattr(self, parameter, True))

    def given(self) -> Mapping[str, Size]:
        """The letters of the signature that fields fix."""
        values = {name: getattr(self, name) for name in self.fixing}
        return {name: value for name, value in values.items() if value is not None}

    def bind(self, inputs: Sequence[TensorType | None], key: Letters) -> Binding:
        """What the signature's letters are for these inputs. Raises ShapeError or ValueError."""
        return self.signature.bind(inputs, self.given(), key)

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        """The types of the outputs. Raises ShapeError or ValueError."""
        binding = self.bind(inputs, key)
        return tuple(TensorType(p.element, binding.shape(p.dims)) for p in self.signature.outputs)

    def parameters(self, inputs: Sequence[TensorType | None], key: Letters) -> dict[str, Parameter]:
        """The parameters of one use, by their local names."""
        found: dict[str, Parameter] = {}
        if not self.signature.parameters:
            return found
        binding = self.bind(inputs, key)
        fixed = {name: constant(key.fix(size)) for name, size in binding.letters.items()}
        sizes = {name: size for name, size in fixed.items() if size is not None}
        for port in self.signature.parameters:
            if not port.optional or self.present(port.name):
                shape = binding.shape(port.dims)
                found[port.name] = Parameter(shape, self.draw(port.name, sizes))
        return found

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        """FLOPs of the matrix products that gradients take: for each of its `operands` that a
        gradient goes to, as many as forward.

        `moved` are the inputs that depend on weights, others get no gradient; `fused` asks for an
        attention's fused kernel.
        """
        del fused
        inputs = {port.name for port in self.signature.inputs}
        asked = sum(name in moved or name not in inputs for name in self.operands)
        return self.cost(n).total("matmul") * asked if asked else 0

    def active(self, parameters: Poly) -> Poly:
        """How many of its elements of parameters one position makes use of."""
        return parameters

    def traffic(self, n: "Use", weights: Poly) -> Traffic:
        """What one use reads and writes where nothing trains; `weights` counts its parameters.

        By default every input is read once, all parameters are, and every output is written once.
        """
        if self.view:
            return Traffic()
        ports = zip(self.signature.inputs, n.inputs, strict=False)
        read = [found for port, found in ports if found and port.name not in self.measured]
        if self.picks:
            return moved(read, n.outputs, table=n.outputs[0].count)
        return moved(read, n.outputs, weights)

    def reach(self, port: str, key: Letters) -> Reach:
        """How far along a sequence a position of the output looks into the input `port`; by
        default at its own position alone."""
        del port, key
        return HERE

    def use(
        self, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType], key: Letters
    ) -> "Use":
        """The sizes of one use, for the cost rule."""
        return Use(self, self.bind(inputs, key), tuple(inputs), tuple(outputs))


class Use(Frozen):
    """The sizes that a cost rule reads: letters, port counts, and `rest`, the product of the
    starred dimensions."""

    operator: Operator
    binding: Binding
    inputs: tuple[TensorType | None, ...]
    outputs: tuple[TensorType, ...]

    def __getattr__(self, name: str) -> Poly:
        if name.startswith("_") or name == "binding":
            raise AttributeError(name)  # of a copy that has no fields yet
        if name == "rest":
            return product(self.binding.leading)
        if name in self.binding.letters:
            return self.binding.letters[name]
        ports = [*self.operator.signature.inputs, *self.operator.signature.outputs]
        for port, found in zip(ports, [*self.inputs, *self.outputs], strict=False):
            if port.name == name:
                return found.count if found else as_poly(0)
        raise AttributeError(name)
