"""Components that installed packages add to the language, found through their entry points."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from archspec.components.component import Component
from archspec.source.frozen import Frozen

GROUP = "archspec.components"


class Extensions(Frozen):
    """Added components by their words, the packages they come from, and for words that could not
    be added, why not."""

    kinds: Mapping[str, type[Component]]
    packages: Mapping[str, tuple[str, str]]
    faults: Mapping[str, str]


@cache
def installed(taken: frozenset[str]) -> Extensions:
    """What is installed, read once; `taken` are the words that the language itself has."""
    kinds: dict[str, type[Component]] = {}
    packages: dict[str, tuple[str, str]] = {}
    faults: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        found = _loaded(point, taken | kinds.keys())
        if isinstance(found, str):
            faults[point.name] = f"{' '.join(package_of(point))}: {found}"
        else:
            kinds[point.name], packages[point.name] = found, package_of(point)
    return Extensions(kinds, packages, faults)


def package_of(point: EntryPoint) -> tuple[str, str]:
    """Name and version of the package that an entry point belongs to."""
    return (point.dist.name, point.dist.version) if point.dist else ("an unknown package", "")


def _loaded(point: EntryPoint, taken: frozenset[str]) -> type[Component] | str:
    """The component, or what is wrong with it; a package that fails to import is not our bug."""
    if point.name in taken:
        return f"the word `{point.name}` is taken"
    try:
        kind = point.load()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if not (isinstance(kind, type) and issubclass(kind, Component)):
        return f"`{point.value}` is no component"
    if kind.word != point.name:
        return f"`{point.value}` calls itself `{kind.word}`, its entry point `{point.name}`"
    return kind
