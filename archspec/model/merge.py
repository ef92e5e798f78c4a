"""`extends`: one spec laid over another, mappings by key, lists and values as a whole."""

from archspec.components import rope_scaling
from archspec.model.catalog import COMPONENTS, LATER, mixes
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean
from archspec.source.tree import Entry, Scalar, Table, Tree

# Of each group one word is written; another one replaces the whole mapping, it is not merged in.
ONE_OF = (
    frozenset({"layer", "rms", "l2"}),
    frozenset({"learned", "sinusoid"}),
    frozenset({"index", "mean", "eos"}),
    frozenset(kind.word for kind in rope_scaling.KINDS),
    frozenset({"tokens", "image", "frames", "vectors", "features"}),
    frozenset({"use"}),
)


def overlay(below: Table, above: Table, report: Report) -> Table:
    """The spec `above` laid over the one it extends; `extends` and `set` are left out."""
    merged = merge(below.drop("extends", "set"), above.drop("extends", "set"), report, ())
    return Table(merged.entries, above.span)


def merge(below: Table, above: Table, report: Report, path: tuple[str, ...]) -> Table:
    result = dict(below.entries)
    for name, entry in above:
        if name == "after" and in_names(path[:-1]):
            continue
        old = result.get(name)
        result[name] = Entry(entry.key, merged_value(old, entry, report, (*path, name)))
        if in_names(path):
            placed(result, name, entry, old is None, report)
    return Table(result, above.span)


def merged_value(old: Entry | None, new: Entry, report: Report, path: tuple[str, ...]) -> Tree:
    if not isinstance(new.value, Table):
        return new.value
    if old is None or not isinstance(old.value, Table) or another(old.value, new.value, path):
        return new.value.drop("after") if in_names(path[:-1]) else new.value
    return merge(old.value, new.value, report, path)


def in_names(path: tuple[str, ...]) -> bool:
    """Whether the mapping at `path` holds nodes of the graph or sub-layers of a layer."""
    return path == ("graph",) or (len(path) >= 2 and path[-1] in ("layer", "parallel"))


def another(below: Table, above: Table, path: tuple[str, ...]) -> bool:
    """Whether `above` names another component, or another form of a setting, than `below`."""
    if in_names(path[:-1]):
        named = words(above)
        return bool(named) and words(below) != named
    for group in ONE_OF:
        old, new = group & below.entries.keys(), group & above.entries.keys()
        if new and new != old:
            return True
    return False


def words(table: Table) -> set[str]:
    """The component a node or sub-layer names; a sub-layer's `norm` and `dropout` do not count."""
    strong = {
        word for word in table.entries if word in ("stack", "parallel", *LATER) or mixes(word)
    }
    return strong or {word for word in table.entries if word in COMPONENTS}


def placed(result: dict[str, Entry], name: str, entry: Entry, fresh: bool, report: Report) -> None:
    """Moves a new node behind the one that its `after:` names."""
    after = entry.value.get("after") if isinstance(entry.value, Table) else None
    if after is None or not isinstance(entry.value, Table):
        return
    if not isinstance(after, Scalar) or after.text not in result or after.text == name:
        hint = did_you_mean(after.text, result) if isinstance(after, Scalar) else ""
        report.error("AR0509", "`after` names nothing here", after.span, hint)
        return
    if not fresh:
        report.error(
            "AR0509",
            "`after` is for what is new",
            entry.value.key("after"),
            f"`{name}` has its place already",
        )
        return
    moved = result.pop(name)
    following = list(result.items())
    result.clear()
    for known, value in following:
        result[known] = value
        if known == after.text:
            result[name] = moved
