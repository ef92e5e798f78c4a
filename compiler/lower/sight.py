"""What an attention lets its queries see; equal ones share a mask."""

from archspec.source.frozen import Frozen


class Sight(Frozen):
    """Queries of the model input `query` look at keys of the input `key`.

    `window` and `chunk` count positions, `segments` keeps packed documents apart, `edge` is a mask
    input, `prefix` an input that counts the first positions that all see. Padding of the keys is
    obeyed besides.
    """

    query: str
    key: str
    causal: bool = False
    window: int | None = None
    chunk: int | None = None
    segments: bool = False
    edge: str = ""
    prefix: str = ""
    written: bool = False
    """Whether the kernel needs a causal mask as a tensor, having none built in."""

    @property
    def plain(self) -> bool:
        """Whether a kernel's own causal mask says it all, but for padding and a cache."""
        plain = self.window is None and self.chunk is None and not self.written
        return plain and not self.by_row

    @property
    def by_row(self) -> bool:
        """Whether the rows of a batch see differently."""
        return self.segments or bool(self.edge) or bool(self.prefix)
