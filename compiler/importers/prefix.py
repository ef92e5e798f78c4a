"""Files of one family differ by a prefix: as they are, with it stripped, with it added."""

from collections.abc import Callable, Collection, Iterable, Mapping

MOST_TRIED = 8


def read_names(
    keys: Collection[str], known: Callable[[str], bool], heads: Collection[str]
) -> Mapping[str, str]:
    """For every key the name it is read as, in the reading that leaves the fewest unknown.

    Tried are the keys as they are, then without a prefix they have, then with one of `heads` added;
    a key that is known as it is keeps its name.
    """
    best = {key: key for key in keys}
    unknown = [key for key in keys if not known(key)]
    fewest = len(unknown)
    for change in _changes(keys, heads):
        if fewest == 0:
            break
        changed = {key: change(key) for key in unknown}
        left = sum(not known(name) for name in changed.values())
        if left < fewest:
            fewest = left
            best = {key: _kept(key, changed.get(key, key), known) for key in keys}
    return best


def _kept(key: str, changed: str, known: Callable[[str], bool]) -> str:
    return changed if known(changed) else key


def _changes(keys: Collection[str], heads: Collection[str]) -> list[Callable[[str], str]]:
    stripped = [_strip(prefix) for prefix in _prefixes(keys)]
    return stripped + [_add(head) for head in sorted(heads)[:MOST_TRIED]]


def _prefixes(keys: Iterable[str]) -> list[str]:
    """Leading segments of one and two parts, the most frequent first."""
    counts: dict[str, int] = {}
    for key in keys:
        parts = key.split(".")
        for depth in range(1, min(3, len(parts))):
            prefix = ".".join(parts[:depth]) + "."
            counts[prefix] = counts.get(prefix, 0) + 1
    return sorted(counts, key=lambda prefix: (-counts[prefix], prefix))[:MOST_TRIED]


def _strip(prefix: str) -> Callable[[str], str]:
    return lambda key: key.removeprefix(prefix)


def _add(head: str) -> Callable[[str], str]:
    return lambda key: f"{head}.{key}"
