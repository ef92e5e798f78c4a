"""In which numbers a model is: for the manifest, and in lines of a build's summary."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from compiler.backends.onnx import Emitted
from compiler.backends.onnx.rounded_data import Loss

BARE: Final = "in floats: no matrix of the model is rounded"


def numbers_of(made: Emitted, why: str, *, rounds: bool) -> dict[str, Any]:
    """What a manifest says of how the weights of a model are held; nothing of a plain one.

    `why` is for the weights that there are, `rounds` whether integers were asked for.
    Errors are of the weights, relative to the weights, both as root mean squares.
    """
    why = BARE if why and rounds and not made.losses else why
    rounded = {kind: _told(losses) for kind, losses in _kinds(made.losses).items()}
    return {
        **({"weights": why} if why else {}),
        **({"rounded": rounded} if rounded else {}),
    }


def notes_of(said: Mapping[str, Any]) -> tuple[str, ...]:
    """The same for a person, a line each."""
    return tuple(_notes(said))


def _notes(said: Mapping[str, Any]) -> Iterator[str]:
    if said.get("weights"):
        yield f"weights {said['weights']}"
    for kind, found in said.get("rounded", {}).items():
        count = found["matrices"]
        matrices = "1 matrix" if count == 1 else f"{count} matrices"
        yield (
            f"{kind}: {matrices}, relative error {found['relative_error']:.2g}, at most "
            f"{found['largest']:.2g} in {found['largest_in']}"
        )


def _kinds(losses: Mapping[str, Loss]) -> dict[str, dict[str, Loss]]:
    found: dict[str, dict[str, Loss]] = {}
    for path, loss in losses.items():
        found.setdefault(str(loss.integers), {})[path] = loss
    return found


def _told(losses: Mapping[str, Loss]) -> dict[str, Any]:
    worst = max(losses, key=lambda path: losses[path].relative)
    return {
        "matrices": len(losses),
        "relative_error": _figure(_together(list(losses.values())).relative),
        "largest": _figure(losses[worst].relative),
        "largest_in": worst,
    }


def _together(losses: Sequence[Loss]) -> Loss:
    lost, whole = sum(each.lost for each in losses), sum(each.whole for each in losses)
    return Loss(losses[0].integers, lost, whole)


def _figure(error: float) -> float:
    """Four digits: what the order of a sum may change is cut off."""
    return float(f"{error:.4g}")
