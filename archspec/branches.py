"""Trees of values as YAML, each value with a remark about its origin."""

from collections.abc import Iterable, Mapping

from archspec.components.letters import LETTERS
from archspec.source.frozen import Frozen
from archspec.source.scalars import is_plain, quoted

COMMENT_COLUMN = 48


class Leaf(Frozen):
    """One value as YAML text and a remark about its origin."""

    text: str
    remark: str = ""


Branch = Leaf | Mapping[str, "Branch"] | tuple[Mapping[str, "Branch"], ...]


def lines(tree: Mapping[str, Branch], indent: int) -> Iterable[str]:
    for key, value in tree.items():
        name = key if is_plain(key, flow=False) or key.lstrip("-")[:1].isdigit() else quoted(key)
        head = f"{' ' * indent}{name}:"
        if isinstance(value, Leaf):
            line = f"{head} {value.text}"
            yield f"{line:<{COMMENT_COLUMN}}  # {value.remark}" if value.remark else line
        elif not value:
            yield f"{head} {{}}"
        elif isinstance(value, tuple):
            yield head
            yield from items(value, indent + 2)
        else:
            yield head
            yield from lines(value, indent + 2)


def items(trees: Iterable[Mapping[str, Branch]], indent: int) -> Iterable[str]:
    """Mappings as the items of a list."""
    for tree in trees:
        first, *rest = lines(tree, indent + 2) if tree else [f"{' ' * (indent + 2)}{{}}"]
        yield f"{' ' * indent}- {first[indent + 2 :]}"
        yield from rest


def text_of(value: object) -> str:
    """A field's value as YAML in one line."""
    if value is None or value == frozenset():
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, frozenset):
        letters = [letter for letter in LETTERS if letter in value]
        places = [place for place in ("pre", "out", "post") if place in value]
        return "".join(letters) if letters else f"[{', '.join(places)}]"
    if isinstance(value, tuple):
        return f"[{', '.join(item_text(item) for item in value)}]"
    return str(value) if is_plain(str(value), flow=True) else quoted(str(value))


def item_text(item: object) -> str:
    if isinstance(item, tuple) and len(item) == 2:
        name, number = item
        return f"{{{name}: {number}}}" if name == "registers" else str(name)
    if isinstance(item, tuple) and isinstance(item[0], tuple):
        return f"{{{', '.join(f'{name}: {text_of(value)}' for name, value in item)}}}"
    return text_of(item)
