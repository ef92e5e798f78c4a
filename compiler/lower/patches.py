"""Patches: an image cut into a grid, each cell a vector, with learned tokens before them."""

from archspec.components.patches import Patches
from compiler.ir.graph import Value
from compiler.ir.size import constant
from compiler.lower.draws import Draws
from compiler.lower.norm import norm
from compiler.lower.scope import Scope
from compiler.ops import (
    AddRows,
    Conv2d,
    Dropout,
    FlattenGrid,
    LearnedPositions,
    Prepend,
    Sinusoid,
)


def patches(scope: Scope, component: Patches, image: Value, draws: Draws, dropout: float) -> Value:
    """Dosovitskiy et al. 2021, eq. 1: a strided convolution, flattened, with tokens before it.

    Then positions and norm.
    """
    letters = scope.letters
    width = letters.fixed("width", component.dim, component.dim.said)
    high, wide = (letters.fixed("patch", side, side.said) for side in component.size)
    rows, columns = (letters.fixed("grid", side) for side in component.grid)
    channels = _checked(scope, component, image)
    init = draws.inner(channels * component.size[0] * component.size[1], component.dim)
    stride = (int(component.size[0]), int(component.size[1]))
    each = scope.type(image).shape[1]
    conv = Conv2d(width, each, high, wide, rows, columns, stride, bias=component.bias, init=init)
    grid = scope.op("project", conv, image)
    count = component.grid[0] * component.grid[1]
    x = scope.op("flat", FlattenGrid(letters.fixed("patches", count, f"{rows} * {columns}")), grid)
    unplaced = component.positions_cover == "before_registers"
    tokens = [(name, n) for name, n in component.prefix if not (unplaced and name == "registers")]
    for name, n in reversed(tokens):
        count += n
        x = _prepended(scope, name, n, count, x, draws)
    if component.positions is not None:
        x = _placed(scope, component, x, draws)
    if len(tokens) < len(component.prefix):
        scope.reject(
            "AR0390", "`positions_cover: before_registers` is not of this version", "not yet"
        )
    if component.norm is not None:
        x = norm(scope, "norm", component.norm, x)
    return scope.op("drop", Dropout(dropout), x) if dropout else x


def _checked(scope: Scope, component: Patches, image: Value) -> int:
    """The channels of the image; rejects one of another shape than the component says."""
    found = [constant(scope.letters.fix(size)) for size in scope.type(image).shape[1:]]
    wanted = [int(component.channels), *map(int, component.image)]
    if found != wanted:
        said, here = (
            " \N{MULTIPLICATION SIGN} ".join(map(str, sizes)) for sizes in (wanted, found)
        )
        scope.reject(
            "AR0301",
            f"the image is {here} here but {said} there",
            "cut into patches here",
            field="image",
        )
    return wanted[0]


def _prepended(scope: Scope, name: str, n: int, total: int, x: Value, draws: Draws) -> Value:
    places = scope.letters.fixed("target", total, "", "patches and tokens before them")
    return scope.op(name, Prepend(n, places, draws.table()), x)


def _placed(scope: Scope, component: Patches, x: Value, draws: Draws) -> Value:
    places, width = scope.type(x).shape[1:]
    if component.positions == "sinusoid":
        return scope.op("placed", AddRows(), x, scope.op("places", Sinusoid(width), x, None))
    table = LearnedPositions(places, width, whole=True, init=draws.table())
    return scope.op("placed", AddRows(), x, scope.op("positions", table, x, None))
