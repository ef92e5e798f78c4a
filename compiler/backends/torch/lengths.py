"""The lines at the top of a `forward` that make lengths known only when the model runs."""

from collections.abc import Iterable, Mapping

from compiler.backends.torch.constants import Constants
from compiler.ir.size import as_poly, text
from compiler.ir.types import TensorType


def read_off(
    given: Mapping[str, TensorType], lengths: Iterable[str], constants: Constants
) -> list[str]:
    """The letters `lengths`, read off the shapes of the `given` names; what no shape has follows
    from others, which are read off too."""
    wanted = dict.fromkeys(lengths)
    made = _derived(given, wanted, constants)
    lines: list[str] = []
    for name, found in given.items():
        places = {text(as_poly(size)): i for i, size in enumerate(found.shape)}
        places = {letter: i for letter, i in places.items() if letter in wanted}
        if not places or found.optional:
            continue
        for letter in places:
            del wanted[letter]
        lines.append(_unpack(name, len(found.shape), places))
    return [*lines, *made]


def _derived(
    given: Mapping[str, TensorType], wanted: dict[str, None], constants: Constants
) -> list[str]:
    """Lines for lengths that no input has and that follow from others, which are then wanted."""
    had = {text(as_poly(size)) for found in given.values() for size in found.shape}
    known = constants.key.key
    lines: list[str] = []
    for letter in reversed(known):
        formula = known[letter].formula
        if letter not in wanted or letter in had or formula is None:
            continue
        del wanted[letter]
        wanted |= dict.fromkeys(sorted(formula.letters - set(constants.key.sizes)))
        lines.insert(0, f"{letter} = {constants.size(formula)}")
    return lines


def _unpack(name: str, rank: int, places: Mapping[str, int]) -> str:
    if len(places) == 1:
        ((letter, index),) = places.items()
        return f"{letter} = {name}.shape[{index}]"
    letters = {index: letter for letter, index in places.items()}
    return f"{', '.join(letters.get(i, '_') for i in range(rank))} = {name}.shape"
