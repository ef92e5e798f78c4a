"""A mask whose first positions of each row are seen from everywhere."""

from collections.abc import Iterator
from typing import Any, Final

from compiler.ir.rules import Builder, Writer
from compiler.ops.seen_mask import SeenMask, every

FIRST: Final = '''
def {name}(count_B: Tensor, S: int) -> Tensor:
    """True where each of S positions is one of the first `count` of its row."""
    return torch.arange(S, device=count_B.device) < count_B[:, None, None, None]
'''
PORTS: Final = (
    "x:BTD, pos?:int, real?:bool BS, segments?:int BS, asking?:int BT, "
    "place?:int BS, edge?:bool BTS, prefix:int B -> seen:bool B1TS"
)


class PrefixMask(SeenMask, signature=PORTS):
    """`SeenMask` whose order and distances hold only behind the first `prefix` positions of a row:
    those are seen from everywhere (Liu et al. 2018; Raffel et al. 2020, section 3.2.1).

    Padding, documents and the caller's mask hold for them too.
    """

    def _near(self, w: Writer, pos: str) -> Iterator[str]:
        near = list(super()._near(w, pos))
        yield f"({' & '.join(near)} | {w.helper('first', FIRST)}({w.prefix}, {w.dim('S')}))"

    def _near_nodes(self, b: Builder) -> Iterator[Any]:
        near = every(b, list(super()._near_nodes(b)))
        count = b.op("Unsqueeze", b.prefix, b.ints(1, 2, 3))
        yield b.op("Or", near, b.op("Less", b.range(b.dim("S")), count))
