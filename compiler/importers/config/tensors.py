"""What the weights beside a config decide: whether two tables are one."""

from collections.abc import Iterator, Mapping

from archspec.source.frozen import Frozen
from compiler.importers.lazy import Lazy, same


class Tensors(Frozen):
    """The tensors of a checkpoint by their names in the file; none where there is only a config."""

    tensors: Mapping[str, Lazy]

    def find(self, name: str) -> Lazy | None:
        """The tensor of this name, whatever prefix the file puts before it."""
        return next(self._named(name), None)

    def tied(self, table: str, head: str) -> bool | None:
        """Whether two tensors of these names are one table; None where the file does not say.

        A file that has the table alone ties the head to it.
        """
        owned, own = self.find(table), self.find(head)
        if owned is None:
            return None
        return own is None or same(owned, own)

    def _named(self, name: str) -> Iterator[Lazy]:
        for key, tensor in self.tensors.items():
            if key == name or key.endswith(f".{name}"):
                yield tensor
