"""What was changed, and the places of both specs that say so."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from archspec.source.frozen import Frozen
from archspec.source.span import Span

Kind: TypeAlias = Literal["added", "removed", "changed", "renamed", "moved"]


class Cause(Frozen):
    """A value in the text of the specs, such as `dims.d_model`, and where each of them says it.

    A span is None where a spec says nothing; one without a file is of a spec made of a mapping.
    """

    what: str
    before: Span | None
    after: Span | None


class Change(Frozen):
    """One change of the structure, folded over the layers that share it.

    Attributes:
        before_path: dotted, with the layers of the first spec (`h.0..32.attn`); empty for what was
            added.
        after_path: the same in the second spec; empty for what was removed.
        field: the setting below that path (`kv_heads`); empty where the part as a whole is meant.
        before: the value, or the part, as a spec would write it.
        after: the same in the second spec.
        causes: the values in the text that make the difference.
        component: the path without layers (`h.attn`), as costs are summed by; the second spec's
            where both have one.
    """

    kind: Kind
    before_path: str
    after_path: str
    field: str
    before: str
    after: str
    causes: tuple[Cause, ...] = ()
    component: str = ""

    @property
    def path(self) -> str:
        """Where it is now, or was."""
        return self.after_path or self.before_path


def ranges(indices: Sequence[int]) -> str:
    """Layers as paths name them: `3`, `0..12`, `1..26:2`, several joined by commas."""
    found: list[str] = []
    rest = sorted(indices)
    while rest:
        count, step = _run(rest)
        first, last = rest[0], rest[count - 1]
        stop = last + 1
        found.append(
            str(first) if count == 1 else f"{first}..{stop}" + (f":{step}" if step > 1 else "")
        )
        rest = rest[count:]
    return ",".join(found)


def _run(indices: Sequence[int]) -> tuple[int, int]:
    """How many of the first indices are one apart, or evenly apart where there are three."""
    if len(indices) < 2:
        return 1, 1
    step = indices[1] - indices[0]
    count = 2
    while count < len(indices) and indices[count] - indices[count - 1] == step:
        count += 1
    return (count, step) if step == 1 or count > 2 else (1, 1)
