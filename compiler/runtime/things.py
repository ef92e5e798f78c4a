"""What a command line gives without saying for which input: words, recordings, pictures, arrays."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.answer import CannotAnswer
from compiler.runtime.array_files import read_array
from compiler.runtime.picture import read_picture
from compiler.runtime.roles import shown
from compiler.runtime.session import Session
from compiler.runtime.sound import log_mel, read_sound

if TYPE_CHECKING:
    from compiler.runtime.kept import Array

SOUND: Final = (".wav",)
PICTURE: Final = (".png", ".jpg", ".jpeg")
ARRAY: Final = (".npy",)
FILES: Final = (*SOUND, *PICTURE, *ARRAY)


def is_file(said: str) -> bool:
    """Whether it names a file of a kind that is read; all else is words."""
    return said.lower().endswith(FILES)


def is_sound(said: str) -> bool:
    """Whether it names a recording."""
    return said.lower().endswith(SOUND)


def read_file(session: Session, folder: Path, said: str) -> "tuple[str, Array]":
    """The input that a file is for and one row of it.

    Raises `CannotAnswer` where the file is not there or is none of its kind, and where the model
    takes nothing of it.
    """
    path = Path(said)
    if not path.is_file():
        raise CannotAnswer(f"there is no file `{said}`")
    if said.lower().endswith(SOUND):
        name = _only(session, said, lambda shape: len(shape) == 3)
        return name, log_mel(read_sound(path), _size(session, name, 1))
    if said.lower().endswith(PICTURE):
        name = _only(session, said, lambda shape: len(shape) == 4)
        return name, read_picture(path, folder, _size(session, name, 2), _size(session, name, 3))
    name = _only(session, said, lambda shape: True)
    return name, _row(read_array(path), session.inputs[name])


def _only(session: Session, said: str, fits: "Callable[[tuple[str | int, ...]], bool]") -> str:
    """The one input of floats whose shape fits."""
    found: list[str] = [
        name
        for name, shape in session.inputs.items()
        if session.kinds[name].startswith("float") and fits(shape)
    ]
    if len(found) != 1:
        why = "none" if not found else "several"
        raise CannotAnswer(
            f"`{said}` is for one input of such numbers and the model has {why}: "
            f"it takes {shown(session.inputs)}"
        )
    return found[0]


def _size(session: Session, name: str, axis: int) -> int:
    size: str | int = session.inputs[name][axis]
    if isinstance(size, str):
        raise CannotAnswer(f"the model does not say how long `{name}` is", "give it as an array")
    return size


def _row(found: "Array", shape: "tuple[str | int, ...]") -> "Array":
    """Without the axis of rows, where there is one of one row."""
    return found[0] if found.ndim == len(shape) and len(found) == 1 else found
