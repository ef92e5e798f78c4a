"""What a model takes that has no use for words: recordings, pictures or plain numbers."""

from typing import Final

from compiler.answer import CannotAnswer
from compiler.runtime.roles import grown, id_inputs, shown
from compiler.runtime.session import Session

RECORDING: Final = ("hears recordings", "give a recording as a `.wav` file, or")
PICTURE: Final = ("sees pictures", "give a picture as a `.png` or `.jpg` file, or")
NUMBERS: Final = ("takes numbers", "give")


def refuse_words(session: Session) -> None:
    """Raise `CannotAnswer` where words are for no input of a model, or only for what follows a
    recording or a picture."""
    read = _read(session)
    if not read:
        return
    does, give = _sense(*read.values()) if len(read) == 1 else NUMBERS
    raise CannotAnswer(
        f"the model {does} and is given words: it takes {shown(read)}",
        f"{give} an array as a `.npy` file",
    )


def _read(session: Session) -> dict[str, tuple[str | int, ...]]:
    """The inputs that are read in the place of words; none where words are."""
    grows = grown(session)
    if not id_inputs(session):
        return dict(session.inputs)
    if grows is None or grows.source is None or session.kinds[grows.source] == "int64":
        return {}
    return {grows.source: session.inputs[grows.source]}


def _sense(shape: tuple[str | int, ...]) -> tuple[str, str]:
    """By the shapes of what is read from files: [B, bands, frames] and [B, C, height, width]."""
    if len(shape) == 4:
        return PICTURE
    return RECORDING if len(shape) == 3 and isinstance(shape[1], int) else NUMBERS
