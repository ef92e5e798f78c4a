"""Comments of a YAML text, each with the entry that it belongs to."""

from dataclasses import dataclass, field

from archspec.source.lines import lines_of
from archspec.source.tree import Scalar, Sequence, Table, Tree

Place = tuple[int, int]  # line and column, from 1


@dataclass
class Notes:
    """Comments by the place of the entry (its key, or the item of a list) that they belong to."""

    before: dict[Place, list[str]] = field(default_factory=dict)
    behind: dict[Place, str] = field(default_factory=dict)
    spaced: set[Place] = field(default_factory=set)  # entries with an empty line before them
    broken: set[Place] = field(default_factory=set)  # flow collections with a comment inside
    head: list[str] = field(default_factory=list)  # above the first key, parted from it
    foot: list[str] = field(default_factory=list)  # behind the last entry


def start(tree: Tree) -> Place:
    return tree.span.line, tree.span.column


def end(tree: Tree) -> Place:
    return tree.span.end_line, tree.span.end_column


def collect(text: str, root: Table) -> Notes:
    """Every comment of `text`, whose tree is `root`."""
    lines = lines_of(text)
    notes = Notes()
    found = comments(lines, covered(root, lines))
    flows = [tree for tree in walk(root) if is_flow(tree, lines)]
    for place in found:
        notes.broken |= {start(tree) for tree in flows if start(tree) < place < end(tree)}
    places = sorted(entries(root, lines, notes.broken))
    for place, comment in found.items():
        own_line = not lines[place[0] - 1][: place[1] - 1].strip()
        if own_line:
            follower = next((entry for entry in places if entry > place), None)
            home = notes.foot if follower is None else notes.before.setdefault(follower, [])
            home.append(comment)
        else:
            owner = [entry for entry in places if entry < place][-1:]
            notes.behind[owner[0] if owner else places[0]] = comment
    for place in places:
        first = place[0] - len(notes.before.get(place, ()))
        if own(place, lines) and first >= 2 and not lines[first - 2].strip():
            notes.spaced.add(place)
    part_head(notes, places, lines)
    return notes


def part_head(notes: Notes, places: list[Place], lines: list[str]) -> None:
    """Comments above the first key that an empty line parts from it belong to the file."""
    if not places:
        return
    above = notes.before.get(places[0], [])
    gap = next((k for k in range(places[0][0] - 2, -1, -1) if not lines[k].strip()), None)
    if gap is None:
        return
    count = sum(1 for line in lines[:gap] if line.lstrip().startswith("#"))
    notes.head = above[:count]
    notes.before[places[0]] = above[count:]
    notes.spaced.discard(places[0])


def own(place: Place, lines: list[str]) -> bool:
    """Whether an entry begins its line."""
    before = lines[place[0] - 1][: place[1] - 1].strip()
    return before in ("", "-")


def covered(root: Table, lines: list[str]) -> list[tuple[Place, Place]]:
    """Stretches in which `#` is text: quoted scalars, block scalars below their first line."""
    quoted = [tree for tree in walk(root) if isinstance(tree, Scalar) and not tree.plain]
    keys = [
        ((entry.key.line, entry.key.column), (entry.key.end_line, entry.key.end_column))
        for tree in walk(root)
        if isinstance(tree, Table)
        for _, entry in tree
    ]
    return [*((text_start(tree, lines), end(tree)) for tree in quoted), *keys]


def text_start(tree: Scalar, lines: list[str]) -> Place:
    mark = lines[tree.span.line - 1][tree.span.column - 1 : tree.span.column]
    return (tree.span.line + 1, 1) if mark in ("|", ">") else start(tree)


def comments(lines: list[str], covered: list[tuple[Place, Place]]) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for number, line in enumerate(lines, 1):
        for column, character in enumerate(line, 1):
            if character != "#" or (column > 1 and not line[column - 2].isspace()):
                continue
            if any(first <= (number, column) < last for first, last in covered):
                continue
            found[number, column] = line[column - 1 :].rstrip()
            break
    return found


def walk(tree: Tree) -> list[Tree]:
    found = [tree]
    if isinstance(tree, Table):
        for _, entry in tree:
            found += walk(entry.value)
    elif isinstance(tree, Sequence):
        for item in tree.items:
            found += walk(item)
    return found


def is_flow(tree: Tree, lines: list[str]) -> bool:
    """Whether a collection is written in braces or brackets."""
    if isinstance(tree, Scalar):
        return False
    line = lines[tree.span.line - 1] if tree.span.line <= len(lines) else ""
    return line[tree.span.column - 1 : tree.span.column] in ("{", "[")


def entries(tree: Tree, lines: list[str], broken: set[Place]) -> list[Place]:
    """Places of all entries that are written on lines of their own."""
    if isinstance(tree, Scalar) or (is_flow(tree, lines) and start(tree) not in broken):
        return []
    found: list[Place] = []
    if isinstance(tree, Table):
        for _, entry in tree:
            found.append((entry.key.line, entry.key.column))
            found += entries(entry.value, lines, broken)
    else:
        for item in tree.items:
            found.append(start(item))
            found += entries(item, lines, broken)
    return found
