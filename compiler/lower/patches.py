"""Patches: an image cut into a grid, each cell a vector, with learned tokens before them."""

from archspec.components.patches import Patches
from compiler.ir.graph import Value
from compiler.ir.size import Poly, constant
from compiler.lower.draws import Draws
from compiler.lower.norm import norm
from compiler.lower.scope import Scope
from compiler.ops import (
    AddRows,
    Conv2d,
    Dropout,
    FlattenGrid,
    Insert,
    LearnedPositions,
    Prepend,
    ResizedPositions,
    Sinusoid,
)


def patches(scope: Scope, component: Patches, image: Value, draws: Draws, dropout: float) -> Value:
    """Dosovitskiy et al. 2021, eq. 1: a strided convolution, flattened, with tokens before it.

    Then positions, registers that have none, and norm.
    """
    letters = scope.letters
    width = letters.fixed("width", component.dim, component.dim.said)
    high, wide = (letters.fixed("patch", side, side.said) for side in component.size)
    channels, grid = _checked(scope, component, image)
    rows, columns = (letters.fixed("grid", side) for side in grid)
    init = draws.inner(channels * component.size[0] * component.size[1], component.dim)
    stride = (int(component.size[0]), int(component.size[1]))
    each = scope.type(image).shape[1]
    conv = Conv2d(width, each, high, wide, rows, columns, stride, bias=component.bias, init=init)
    cells = scope.op("project", conv, image)
    count = grid[0] * grid[1]
    x = scope.op("flat", FlattenGrid(letters.fixed("patches", count, f"{rows} * {columns}")), cells)
    unplaced = component.positions_cover == "before_registers"
    tokens = [(name, n) for name, n in component.prefix if not (unplaced and name == "registers")]
    for name, n in reversed(tokens):
        count += n
        x = scope.op(name, Prepend(n, _places(scope, count), draws.table()), x)
    if component.positions is not None:
        x = _placed(scope, component, x, grid, draws)
    if len(tokens) < len(component.prefix):
        x = _registered(scope, component, x, count, draws)
    if component.norm is not None:
        x = norm(scope, "norm", component.norm, x)
    return scope.op("drop", Dropout(dropout), x) if dropout else x


def _checked(scope: Scope, component: Patches, image: Value) -> tuple[int, tuple[int, int]]:
    """The channels of the image and its patches along height and width.

    Rejects an image of another shape than the component says; with `resize` its sides may be
    others that patches tile.
    """
    found = [constant(scope.letters.fix(size)) or 0 for size in scope.type(image).shape[1:]]
    wanted = [int(component.channels), *map(int, component.image)]
    told = slice(0, 1) if component.resize else slice(None)
    if found[told] != wanted[told]:
        said, here = (
            " \N{MULTIPLICATION SIGN} ".join(map(str, sizes)) for sizes in (wanted, found)
        )
        scope.reject(
            "AR0301",
            f"the image is {here} here but {said} there",
            "cut into patches here",
            field="image",
        )
    grid = (found[1] // component.size[0], found[2] // component.size[1])
    if any(side % size for side, size in zip(found[1:], component.size, strict=True)):
        scope.reject(
            "AR0209",
            "`size` must divide the image",
            f"the image is {found[1]} by {found[2]} here",
            field="size",
        )
    return wanted[0], grid


def _places(scope: Scope, count: int) -> Poly:
    return scope.letters.fixed("target", count, "", "patches and tokens before them")


def _placed(
    scope: Scope, component: Patches, x: Value, grid: tuple[int, int], draws: Draws
) -> Value:
    places, width = scope.type(x).shape[1:]
    if component.positions == "sinusoid":
        return scope.op("placed", AddRows(), x, scope.op("places", Sinusoid(width), x, None))
    if grid == component.grid:
        table = LearnedPositions(places, width, whole=True, init=draws.table())
        return scope.op("placed", AddRows(), x, scope.op("positions", table, x, None))
    trained = component.grid[0] * component.grid[1]
    prefix = (constant(scope.letters.fix(places)) or 0) - grid[0] * grid[1]
    resized = ResizedPositions(
        scope.letters.fixed("table", trained + prefix),
        width,
        component.grid,
        grid,
        prefix,
        antialias=component.resize == "bicubic_antialias",
        init=draws.table(),
    )
    return scope.op("placed", AddRows(), x, scope.op("positions", resized, x))


def _registered(scope: Scope, component: Patches, x: Value, count: int, draws: Draws) -> Value:
    """Registers put among the tokens before the patches, where `prefix` has them."""
    names = [name for name, _ in component.prefix]
    n = int(dict(component.prefix)["registers"])
    after = sum(int(many) for _, many in component.prefix[: names.index("registers")])
    places = _places(scope, count + n)
    operator = (
        Insert(n, places, after, draws.table()) if after else Prepend(n, places, draws.table())
    )
    return scope.op("registers", operator, x)
