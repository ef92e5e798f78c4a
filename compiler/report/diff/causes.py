"""Which values in the text of two specs make a setting differ."""

from collections.abc import Iterator

from archspec.model.spec import Spec
from archspec.source.expression import names
from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.report.diff.change import Cause
from compiler.report.diff.parts import Branch, Leaf


class Causes(Frozen):
    """Looks up causes in two specs."""

    before: Spec
    after: Spec

    def of(
        self, component: str, field: str, old: Branch | None, new: Branch | None
    ) -> tuple[Cause, ...]:
        """Why `old` became `new`: sizes that an unchanged text names, else the text itself."""
        if isinstance(old, Leaf) and isinstance(new, Leaf) and old.said == new.said:
            found = tuple(dict.fromkeys(self._sizes(old.said)))
            if found:
                return found
        origins = {leaf.origin for leaf in (old, new) if isinstance(leaf, Leaf)}
        owner = "defaults" if "defaults" in origins and "written" not in origins else component
        said = f"{owner}.{field}" if field else owner
        return (Cause(said, _span(old), _span(new)),)

    def size(self, name: str) -> tuple[Cause, ...]:
        """Why a size of `dims` differs; nothing where it does not."""
        return tuple(dict.fromkeys(self._size(name)))

    def _sizes(self, said: str) -> Iterator[Cause]:
        for name in sorted(names(said)) if said else ():
            yield from self._size(name)

    def _size(self, name: str) -> Iterator[Cause]:
        if self.before.dims.get(name) == self.after.dims.get(name):
            return
        path = f"dims.{name}"
        old, new = self.before.marks.get(path), self.after.marks.get(path)
        if old is not None and new is not None and old.said == new.said:
            below = list(self._sizes(old.said))
            if below:
                yield from below
                return
        yield Cause(path, old.span if old else None, new.span if new else None)


def _span(branch: Branch | None) -> Span | None:
    return None if branch is None else branch.span
