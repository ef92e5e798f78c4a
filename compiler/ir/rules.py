"""What the back ends offer to an operator's rules: names and sizes for text, values and nodes for
ONNX."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from compiler.ir.size import Poly, Size
from compiler.ir.target import Target


class Sizes(Protocol):
    """Letters and ports of a signature in one use: `n.D` is a dimension, `n.x` the element count of
    a port."""

    def __getattr__(self, name: str) -> Poly: ...


class Writer(Protocol):
    """Python source of one use of an operator.

    `w.x` is the expression of the input port `x`, however often a rule says it; `w.self` is the
    attribute with what `module` makes of the operator's own parameters (`self.qkv`), so that one of
    them is `{w.self}.weight`.
    """

    def __getattr__(self, name: str) -> str: ...

    def has(self, port: str) -> bool:
        """Whether an optional port is connected."""

    def dim(self, letter: str) -> str:
        """A letter of the signature as Python: a constant of the file, a length read off a tensor,
        or both."""

    def fixed(self, letter: str) -> int:
        """The number behind a letter with a fixed size."""

    def sizes(self, sizes: Sequence[Size]) -> str:
        """Several sizes as a tuple."""

    def half(self, letter: str) -> str:
        """Half of a fixed even size."""

    def named(self, port: str) -> str:
        """The port as a plain name."""

    def optional(self, port: str) -> bool:
        """Whether what is connected to a port may be absent at run time."""

    def constant(self, name: str, value: float) -> str:
        """The name of a number at the top of the file (`EPS`), or the number itself where the name
        is taken."""

    def power(self, letter: str, value: float) -> str:
        """A number as a power of a fixed size (`D**0.5`) where it is one, else as itself."""

    def helper(self, name: str, source: str, **stands: str) -> str:
        """Put a function or class beside the model's classes, once; `{name}` in it is where its
        name stands.

        Letters that end names in it are the signature's; `stands` says which others are meant.
        Returns its name, which is another one where `name` is taken by a different text.
        """

    def number(self, value: float) -> str:
        """A number as Python source."""


class Builder(Protocol):
    """ONNX nodes of one use of an operator; `b.x` is the value of the port or parameter `x`.

    A value whose type has heads, [B, H, T, K], is held as [B, T, H·K]: ONNX's attention takes heads
    side by side in the width, with their number. A rule may return several values for one port, as
    a tuple, where the operators that read the port expect them (the cosines and sines of an angle).
    """

    target: Target
    float_type: int
    int_type: int
    int32_type: int

    def __getattr__(self, name: str) -> Any: ...

    @property
    def leading(self) -> tuple[Size, ...]:
        """What `*` stands for."""

    def dim(self, letter: str) -> Poly:
        """What a letter of the signature stands for, a number where it is fixed."""

    def fix(self, size: Size) -> Poly:
        """A size with its fixed letters put in."""

    def has(self, port: str) -> bool:
        """Whether an optional port is connected."""

    def optional(self, port: str) -> bool:
        """Whether what is connected need not be there: a mask that a kernel has built in."""

    def op(
        self,
        kind: str,
        *inputs: Any,
        outputs: int = 1,
        domain: str = "",
        named: Sequence[str] = (),
        **attributes: Any,
    ) -> Any:
        """Add a node; returns its output, or a tuple of them where `outputs` is above one.

        `named` are the names of the last outputs, where they are those of the model.
        """

    def either(
        self,
        condition: Any,
        then: Callable[[], Any],
        otherwise: Callable[[], Any],
        *,
        like: str,
        named: str,
    ) -> Any:
        """What one of two rules gives, of which a run takes the second where `condition`, one
        boolean, is false; it has the type of `like`, a value that is kept, and the name `named`."""

    def keep(self, kind: str, x: Any, shape: Sequence[Size]) -> Any:
        """What new positions have, `x`, behind what a decoder has kept of earlier ones: all S.

        `shape` is that of what was kept; its slots are on the axis before the last.
        """

    def keep_heads(self, kind: str, x: Any, width: str) -> Any:
        """Keys or values of new positions, [B, T, G·K], joined to those of earlier steps where
        they are used; `width` is the letter of K.

        A rule that reads them from a port gets all of them, [B, S, G·K]; `kept` gives the parts.
        """

    def kept(self, port: str) -> Any:
        """The parts of keys or values that a decoder keeps; None for any other value, and where
        a rule has read all of them."""

    def every(self, port: str) -> Any:
        """All keys or values that a decoder has kept, with heads on an axis of their own:
        [B, G, S, K]. Only where `caches` holds."""

    def caches(self, port: str) -> bool:
        """Whether a port has keys or values that a decoder keeps."""

    def fall_back(self, reason: str, kept: Size) -> None:
        """Say why a kernel that counts rows cannot do what this operator does with a cache, which
        keeps so many numbers a position."""

    def by_group(self) -> None:
        """Say that each group of rows has a product of its own, which on a device costs more than
        one kernel for all."""

    def plain(self, mask: Any) -> Any:
        """A mask of order, a window and padding alone, marked as what a kernel has built in where
        rows are counted."""

    def is_plain(self, port: str) -> bool:
        """Whether the mask at a port is marked so."""

    def handed(self, kind: str) -> str:
        """The output by which an encoder's file gives a source's `key` or `value` [B, G, S, K] into
        `slot`."""

    def held(self, port: str) -> Any:
        """Keys or values of a source as the file of a decoder takes them, [B, G, S, K], or None for
        any others; a rule that reads the port gets them as [B, S, G·K]."""

    def past_state(self, port: str) -> Any:
        """The input of the file with the state of a recurrence that the last step has left."""

    def present_state(self, port: str) -> str:
        """The output of the file with the state behind a step."""

    def residual(self, x: Any, y: Any) -> Any:
        """`x + y` of one shape, which a norm of it may take over."""

    def biased(self, x: Any) -> tuple[Any, Any] | None:
        """The value and the bias whose sum `x` is, where it is one."""

    def turned(self, y: Any, x: Any, tables: Sequence[Any], *, adjacent: bool, gain: float) -> None:
        """Say that `y` is `x` [B, T, N·K] with the heads turned, by `tables` with cosines and sines
        of every place, and multiplied with a gain, which a kernel may do itself."""

    def inside(self, q: Any, k: Any, v: Any, *, turning: bool) -> Any:
        """What ONNX Runtime's attention for decoders is `given` for queries, keys and values: what
        they were before they are turned, where it is to do that by `tables`, and what they are
        parts of; with the `options` that say so and the `gain` on queries and keys that is left."""

    def normed(self, kind: str, x: Any, *weights: Any, epsilon: float) -> Any:
        """A norm over the last dimension, by ONNX's name, with a gain and perhaps a bias."""

    @property
    def counts(self) -> Any:
        """How many positions each row has, in decoders that count them; None in any other.

        There rows begin at places of their own. What has T positions has the real ones of each row
        first, and what has all S that were seen has each at its place, padding behind.
        """

    def index(self, number: int) -> Any:
        """A constant 64-bit integer without dimensions."""

    def ints(self, *numbers: int) -> Any:
        """A constant vector of 64-bit integers."""

    def number(self, number: float) -> Any:
        """A constant number of the model's float type without dimensions."""

    def floats(self, numbers: Sequence[float]) -> Any:
        """A constant vector of the model's float type."""

    def bools(self, values: Sequence[bool]) -> Any:
        """A constant vector of booleans."""

    def reshape(self, x: Any, shape: Sequence[Size]) -> Any:
        """A reshape to sizes that are numbers (-1 for the rest) or lengths known at run time."""

    def lengths(self, *sizes: Size) -> Any:
        """Sizes as a vector of 64-bit integers, read off an input port where they are known at run
        time only."""

    def range(self, size: Size) -> Any:
        """The integers from 0 to below a size."""

    def positions(self, letter: str) -> Any:
        """The places of so many new positions [T]: from the port `pos` on, else from 0; those of
        each row [B, T] where rows are counted."""

    def column(self, positions: Any) -> Any:
        """The same beside places of keys: [T, 1], or [B, 1, T, 1]."""

    def pick_row(self, x: Any, places: Any) -> Any:
        """Row `places[b]` of every `x[b]`: [B, T, D] and [B] to [B, D]."""

    def linear(
        self,
        x: Any,
        weight: str,
        bias: str = "",
        *,
        member: int | None = None,
        exact: bool = False,
    ) -> Any:
        """`x Wᵀ + b` over the last dimension, as the target has it.

        `weight` is a matrix parameter, one tensor of several that are stacked in it, or a port with
        a table of another node; `bias` is a parameter. With `exact` it keeps the model's float type
        whatever the precision.
        """

    def look_up(self, weight: str, ids: Any) -> Any:
        """Rows of a table, a parameter or connected to a port, by their numbers."""

    def transposed(self, parameter: str) -> Any:
        """A matrix parameter stored with its two dimensions exchanged."""

    def blocks(self, name: str, rows: Sequence[Sequence[str]], order: Sequence[int]) -> Any:
        """Parameters as one tensor: `rows[i]` one after the other make its row i.

        Each consists of as many equal blocks of its rows as `order` is long; they are put in
        `order`.
        """

    def borrowed(self, path: str, shape: Sequence[Size]) -> Any:
        """The parameter of another node, by its full name, with its shape."""
