"""The Llamas that are measured: their sizes, as the dims of `specs/decoder/llama3-8b.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Size:
    """Sizes of a Llama; `sparse` where its file holds nothing but zeros."""

    dims: Mapping[str, int]
    sparse: bool = False

    @property
    def settings(self) -> list[str]:
        """As `--set` takes them."""
        return [f"{name}={number}" for name, number in self.dims.items()]


def size(d_model: int, n_layers: int, heads: tuple[int, int], d_ff: int) -> dict[str, int]:
    """The spec's dimensions with a vocabulary of 32 000."""
    queries, keys = heads
    return {
        "vocab": 32_000,
        "d_model": d_model,
        "n_layers": n_layers,
        "n_heads": queries,
        "n_kv_heads": keys,
        "d_ff": d_ff,
    }


SIZES: Final[Mapping[str, Size]] = {
    "125M": Size(size(768, 12, (12, 4), 2048)),
    "700M": Size(size(1536, 24, (16, 4), 4096)),
    "7B": Size(size(4096, 32, (32, 32), 11_008), sparse=True),
}
TINY: Final = Size(size(64, 1, (1, 1), 64))
"""What is emitted so that all imports are made."""
