"""Products with learned matrices, and rows of learned tables, in the nodes of a target."""

from typing import TYPE_CHECKING, Any, Final

from compiler.backends.onnx.hadamard import spread
from compiler.backends.onnx.matrix import Matrix, RoundedMatrix
from compiler.backends.onnx.sheet import Sheet
from compiler.ir.integers import Integers
from compiler.ir.size import as_poly
from compiler.ir.target import RUNTIME

if TYPE_CHECKING:
    from compiler.backends.onnx.builder import Nodes

PRODUCT: Final = "FusedMatMul"
"""A product with a matrix [out, in] as it lies."""

INT8_PRODUCTS: Final = 4
"""The accuracy level at which a CPU multiplies blocks of integers; without it 2.5 to 70 times
slower."""


def product(b: "Nodes", sheet: Sheet, x: str, matrix: Matrix, bias: str | None, exact: bool) -> Any:
    """`x Wᵀ + b`; with `exact` in the model's float type whatever its precision."""
    integers = None if exact else _integers(b, sheet, matrix)
    if integers is None:
        y = b.op(PRODUCT, x, matrix.name, transB=1, domain=RUNTIME)
        return y if bias is None else b.op("Add", y, bias)
    rounded = RoundedMatrix(sheet, matrix, integers)
    if integers.block is None:
        even = spread(b, sheet, x, matrix.inputs)
        columns, scales = rounded.columns(), rounded.scales()
        return b.op("DynamicQuantizeMatMul", even, columns, scales, None, bias, domain=RUNTIME)
    given = (x, rounded.codes(), rounded.scales(), rounded.zeros(), None, bias)
    sizes = {"K": matrix.inputs, "N": matrix.outputs}
    said = {**sizes, "bits": integers.bits, "block_size": integers.block}
    if b.target.provider == "cpu":
        said["accuracy_level"] = INT8_PRODUCTS
    made: str = b.op("MatMulNBits", *given, domain=RUNTIME, outputs=1, named=(), **said)
    return made


def tied_product(b: "Nodes", x: str, matrix: Matrix, bias: str | None) -> Any:
    """The same of standard operators with a table that another node owns, read as it lies."""
    rows = b.reshape(x, (-1, as_poly(matrix.inputs)))
    rest = () if bias is None else (bias,)
    y = b.op("Gemm", rows, matrix.name, *rest, transB=1)
    return b.reshape(y, (*b.leading, as_poly(matrix.outputs)))


def look_up(b: "Nodes", sheet: Sheet, ids: str, matrix: Matrix) -> Any:
    """Rows of a table by their numbers."""
    integers = _integers(b, sheet, matrix)
    if integers is None:
        return b.op("Gather", matrix.name, ids, axis=0)
    rounded = RoundedMatrix(sheet, matrix, integers)
    given = (rounded.flat_codes(), ids, rounded.scales(), rounded.zeros())
    made = b.op(
        "GatherBlockQuantized",
        *given,
        domain=RUNTIME,
        bits=integers.bits,
        block_size=integers.block,
        gather_axis=0,
        quantize_axis=1,
    )
    if rounded.width == matrix.inputs:
        return made
    return b.op("Slice", made, b.ints(0), b.ints(matrix.inputs), b.ints(-1))


def _integers(b: "Nodes", sheet: Sheet, matrix: Matrix) -> Integers | None:
    sheet.listing.matrices[matrix.path] = None
    return matrix.integers(b.target)
