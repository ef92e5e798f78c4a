"""What the inputs and outputs of a built model are for, read from their names and shapes."""

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.session import Session

COMPANIONS = ("_mask", "_types", "_segments")
"""Endings of inputs that say something about every place of another input."""


class Growing(Frozen):
    """A sequence that generation appends to: the input `ids` [B, T], the output `logits` [B, T, V],
    or [B, 1, V] of the last position alone.

    `source` is the input that an encoder reads, of ids or of a recording's frames; None in a
    decoder alone.
    """

    ids: str
    logits: str
    source: str | None


def id_inputs(session: Session) -> list[str]:
    """Inputs of ids, integers [B, T], without those that accompany another one."""
    shapes = session.inputs
    return [
        name
        for name, shape in shapes.items()
        if session.kinds[name] == "int64" and len(shape) == 2 and owner(session, name) is None
    ]


def owner(session: Session, name: str) -> str | None:
    """The input that `name` accompanies: `ids` for `ids_mask`; None where it stands alone."""
    for ending in COMPANIONS:
        stem = name.removesuffix(ending)
        if stem != name and stem in session.inputs:
            return stem
    return None


def neutral(name: str) -> int:
    """What every place of an input beside another holds where it says nothing: a mask hides none,
    types and segments are one."""
    return int(name.endswith("_mask"))


def growing(session: Session) -> Growing:
    """What generation appends to; raises `CannotAnswer` for a model that does not continue ids."""
    found = grown(session)
    if found is None:
        raise CannotAnswer(
            f"the model does not continue a sequence: it takes {shown(session.inputs)} "
            f"and gives {shown(session.outputs)}",
            "leave out `--new` to print its outputs",
        )
    return found


def grown(session: Session) -> Growing | None:
    """What generation appends to; None for a model that does not continue ids.

    It is the ids whose length an output [B, T, V] shares; that with scores of a vocabulary, where
    the file names it, goes before others. Names and shapes do not tell whether the
    model looks ahead; running it does.
    """
    ids = [name for name in id_inputs(session) if name not in session.source]
    outputs = sorted(session.outputs.items(), key=lambda item: item[0] != session.logits)
    for output, shape in outputs:
        length = shape[1] if len(shape) == 3 else None
        if length is not None and session.past and len(ids) == 1:
            return Growing(ids[0], output, _source(session, ids[0]) if session.source else None)
        found = [
            name for name in ids if isinstance(length, str) and session.inputs[name][1] == length
        ]
        if len(found) == 1 and len(ids) <= 2:
            return Growing(found[0], output, _source(session, found[0]))
    return None


def _source(session: Session, grown: str) -> str | None:
    """The first input that stands alone and is not the one that grows."""
    alone = (n for n, shape in session.inputs.items() if shape and owner(session, n) is None)
    return next((name for name in alone if name != grown and session.kinds[name] != "bool"), None)


def shown(shapes: dict[str, tuple[str | int, ...]]) -> str:
    """Names and shapes as a reader writes them: `ids [B, T]`."""
    return ", ".join(f"`{n}` [{', '.join(map(str, shape))}]" for n, shape in shapes.items())
