"""Which keys each query may look at where more than one thing decides: order, distance, documents,
padding, a given mask."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size
from compiler.ir.types import TensorType
from compiler.ops.causal_mask import SOURCE as CAUSAL
from compiler.ops.slices import END

LATEST: Final = '''
def {name}(pos: int, T: int, window: int, device: torch.device) -> Tensor:
    """True where each of T positions from `pos` on may look: at itself and `window` - 1 before."""
    place_S = torch.arange(pos + T, device=device)
    back_TS = place_S[pos:, None] - place_S
    return (back_TS >= 0) & (back_TS < window)
'''
AROUND: Final = '''
def {name}(T: int, radius: int, device: torch.device) -> Tensor:
    """True where two of T positions are at most `radius` apart."""
    place_T = torch.arange(T, device=device)
    return (place_T[:, None] - place_T).abs() <= radius
'''
PIECES: Final = '''
def {name}(pos: int, T: int, size: int, device: torch.device) -> Tensor:
    """True where each of T positions from `pos` on and one of all lie in one piece of `size`."""
    piece_S = torch.arange(pos + T, device=device) // size
    return piece_S[pos:, None] == piece_S
'''
ALIKE: Final = '''
def {name}(mark_BS: Tensor, pos: int, T: int) -> Tensor:
    """True where each of T new positions from `pos` on and one of all bear the same mark."""
    place_T = torch.arange(pos, pos + T, device=mark_BS.device)
    return (mark_BS[:, place_T, None] == mark_BS[:, None, :])[:, None]
'''
PORTS: Final = (
    "x:BTD, pos?:int, real?:bool BS, segments?:int BS, asking?:int BT, "
    "place?:int BS, edge?:bool BTS -> seen:bool B1TS"
)


class SeenMask(Operator, signature=PORTS):
    """True at [b, 0, t, s] where query t of row b may look at key s; [T, S] where all rows are
    alike.

    All that is given must agree: `causal` (s is no later), `window` (Beltagy et al. 2020, section
    3.1: the latest `window` positions where causal, else `window` to each side), `chunk` (both in
    one piece of so many positions, counted by `place` where it is given), `segments` (both in one
    document, `asking` naming those of the queries where they are of another sequence), `real` (s is
    no padding) and `edge` (a mask of the caller).
    """

    measured: ClassVar[tuple[str, ...]] = ("x",)

    S: Size
    causal: bool = False
    window: int | None = None
    chunk: int | None = None

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        (full,) = super().infer(inputs, key)
        by_row = any(found is not None for found in inputs[2:])
        return (full,) if by_row else (TensorType("bool", full.shape[2:]),)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return " & ".join(self._terms(w))

    def _terms(self, w: Writer) -> Iterator[str]:
        pos = w.pos if w.has("pos") else "0"
        yield from self._near(w, pos)
        if w.has("asking"):
            yield f"({w.asking}[:, :, None] == {w.segments}[:, None, :])[:, None]"
        elif w.has("segments"):
            yield f"{w.helper('alike', ALIKE)}({w.segments}, {pos}, {w.dim('T')})"
        if w.has("real"):
            yield f"{w.real}[:, None, None, :]"
        if w.has("edge"):
            yield f"{w.edge}[:, None]"

    def _near(self, w: Writer, pos: str) -> Iterator[str]:
        """What order and distance allow."""
        if self.window is not None:
            window = w.constant("WINDOW", self.window)
            if self.causal:
                near = w.helper("latest", LATEST)
                yield f"{near}({pos}, {w.dim('T')}, {window}, {w.named('x')}.device)"
            else:
                yield f"{w.helper('around', AROUND)}({w.dim('T')}, {window}, {w.named('x')}.device)"
        elif self.causal:
            yield f"{w.helper('causal', CAUSAL)}({pos}, {w.dim('T')}, {w.named('x')}.device)"
        if self.chunk is not None:
            size = w.constant("CHUNK", self.chunk)
            if w.has("place"):
                yield f"{w.helper('alike', ALIKE)}({w.place} // {size}, {pos}, {w.dim('T')})"
            else:
                pieces = w.helper("pieces", PIECES)
                yield f"{pieces}({pos}, {w.dim('T')}, {size}, {w.named('x')}.device)"

    def onnx(self, b: Builder) -> Any:
        terms = list(self._conditions(b))
        seen = every(b, terms)
        if len(terms) == 1 and b.has("real"):
            return b.op("Expand", seen, b.lengths(1, 1, b.dim("T"), 1))
        more = self.chunk is not None or any(map(b.has, ("segments", "edge")))
        return b.plain(seen) if self.causal and not more else seen

    def _conditions(self, b: Builder) -> Iterator[Any]:
        yield from self._near_nodes(b)
        if b.has("segments"):
            yield _alike(b, b.asking if b.has("asking") else newest(b, b.segments), b.segments)
        if b.has("real"):
            yield b.op("Unsqueeze", b.real, b.ints(1, 2))
        if b.has("edge"):
            yield b.op("Unsqueeze", b.edge, b.ints(1))

    def _near_nodes(self, b: Builder) -> Iterator[Any]:
        """What order and distance allow."""
        if self.causal or self.window is not None or (self.chunk and not b.has("place")):
            new, places = b.positions("T"), b.range(b.dim("S"))
            queries = b.column(new)
            back = b.op("Sub", queries, places)
            if self.causal:
                yield b.op("GreaterOrEqual", back, b.index(0))
            if self.window is not None and self.causal:
                yield b.op("Less", back, b.index(self.window))
            elif self.window is not None:
                yield b.op("LessOrEqual", b.op("Abs", back), b.index(self.window))
        if self.chunk is not None:
            if b.has("place"):
                pieces = b.op("Div", b.place, b.index(self.chunk))
                yield _alike(b, newest(b, pieces), pieces)
            else:
                size = b.index(self.chunk)
                yield b.op("Equal", b.op("Div", queries, size), b.op("Div", places, size))


def every(b: Builder, terms: Sequence[Any]) -> Any:
    """Where every one of several masks is true."""
    seen = terms[0]
    for term in terms[1:]:
        seen = b.op("And", seen, term)
    return seen


def newest(b: Builder, marks: Any) -> Any:
    """The marks [B, T] of the new positions, of those [B, S] of all that a decoder has seen."""
    if not b.has("pos"):
        return marks
    if b.counts is not None:
        return b.op("GatherElements", marks, b.counts.places, axis=1)
    start = b.op("Unsqueeze", b.pos, b.ints(0))
    return b.op("Slice", marks, start, b.ints(END), b.ints(1))


def _alike(b: Builder, asking: Any, marks: Any) -> Any:
    return b.op(
        "Equal", b.op("Unsqueeze", asking, b.ints(1, 3)), b.op("Unsqueeze", marks, b.ints(1, 2))
    )
