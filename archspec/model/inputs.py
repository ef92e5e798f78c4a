"""Reading `inputs:`."""

import re
from dataclasses import replace

from archspec.components.fields import whole
from archspec.components.written import plain
from archspec.model.input import KINDS, PACKED, SHAPES, Input, Kind
from archspec.model.words import INPUT_KEYS
from archspec.source.compose import first_line, value_of
from archspec.source.expression import Scope
from archspec.source.fault import Fault
from archspec.source.names import check_edge_name
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Scalar, Sequence, Table, Tree, described

FREE_AXES: dict[Kind, tuple[int, ...]] = {
    "frames": (1,),
    "vectors": (0,),
    "features": (0,),
    "mask": (0, 1),
}
FIXED = "weights have fixed shapes; name the size in `dims` or write a number"
LETTERS = ("S", "T", "U", "W", "X", "Y", "Z")
LETTER = re.compile(r"[A-Z]\Z")


def read_inputs(tree: Tree, scope: Scope, report: Report) -> dict[str, Input]:
    """The inputs by name in order; sequences without a letter of their own get S, T, … in turn."""
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", "`inputs` is a mapping of names", first_line(tree.span), label)
        return {}
    found: dict[str, Input] = {}
    for name, entry in tree:
        try:
            check_edge_name(name, "an input")
        except Fault as fault:
            report.fault(fault, entry.key)
        read = read_input(name, entry, scope, report)
        if read is not None:
            found[name] = read
    if not tree.entries:
        report.error("AR0215", "`inputs` is empty", first_line(tree.span), "a model needs an input")
    return lettered(found)


def lettered(inputs: dict[str, Input]) -> dict[str, Input]:
    sequences = [name for name, one in inputs.items() if one.kind == "tokens"]
    taken = {
        size for one in inputs.values() if one.kind not in ("tokens", "mask") for size in one.shape
    }
    letters = [letter for letter in LETTERS if letter not in taken]
    if len(sequences) == 1 and "T" not in taken:
        letters = ["T"]
    for name, letter in zip(sequences, letters, strict=False):
        inputs[name] = replace(inputs[name], shape=(letter,))
    return inputs


def read_input(name: str, entry: Entry, scope: Scope, report: Report) -> Input | None:
    tree = entry.value
    if isinstance(tree, Scalar) and tree.text in ("tokens", "count"):
        report.mark(f"inputs.{name}", "written", tree.span)
        kind: Kind = "tokens" if tree.text == "tokens" else "count"
        return Input(name, kind, ("T",)[: kind == "tokens"], None, False, False, entry.key)
    if not isinstance(tree, Table) or len(tree.entries) != 1:
        refuse(name, tree, report)
        return None
    word, form = next(iter(tree))
    found = next((kind for kind in KINDS if kind == word), None)
    if found is None and nameless(name, tree):
        refuse(name, tree, report)
        return None
    if found is None:
        hint = did_you_mean(word, KINDS)
        report.error("AR0206", f"an input is one of {listed(KINDS)}", form.key, hint)
        return None
    if found == "count":
        report.error("AR0208", "`count` has no shape", form.key, f"write `{name}: count`")
        return None
    report.mark(f"inputs.{name}", "written", form.key)
    return read_form(name, found, form, entry, scope, report)


def refuse(name: str, tree: Tree, report: Report) -> None:
    hint = did_you_mean(tree.text, KINDS) if isinstance(tree, Scalar) else ""
    if isinstance(tree, Scalar) and tree.text in KINDS:
        kind = next(kind for kind in KINDS if kind == tree.text)
        hint = f"write `{{{kind}: [{SHAPES[kind]}]}}`"
    if isinstance(tree, Scalar) and value_of(tree) is None:
        hint = "this has no value"
    report.error(
        "AR0206",
        f"input `{name}` is one of {listed(KINDS)}",
        first_line(tree.span),
        hint or f"this is {described(tree)}",
        help=f"a name, then the kind: `{name}: {{{name}: …}}`" if nameless(name, tree) else "",
    )


def nameless(name: str, tree: Tree) -> bool:
    """Whether what follows the name of a kind is that kind's shape or options: the name is left
    out."""
    if name not in KINDS:
        return False
    return isinstance(tree, Sequence) or (
        isinstance(tree, Table) and bool(tree.entries) and set(tree.entries) <= set(INPUT_KEYS)
    )


def read_form(
    name: str, kind: Kind, form: Entry, entry: Entry, scope: Scope, report: Report
) -> Input | None:
    options = form.value
    shape_entry: Entry | None = form
    longest, padded, segments = None, False, False
    if isinstance(options, Table):
        shape_entry = options.entries.get("shape")
        longest, padded, segments = read_options(name, kind, options, scope, report)
    if kind == "tokens":
        if not isinstance(options, Table):
            label = f"this is {described(options)}"
            report.error("AR0104", "`tokens` wants a mapping", first_line(options.span), label)
            return None
        return Input(name, kind, ("T",), longest, padded, segments, entry.key)
    shape = read_shape(kind, shape_entry, form, scope, report)
    if shape is None:
        return None
    return Input(name, kind, shape, longest, padded, segments, entry.key)


def read_options(
    name: str, kind: Kind, options: Table, scope: Scope, report: Report
) -> tuple[Sized | None, bool, bool]:
    """`max`, `padded` and `segments`."""
    longest: Sized | None = None
    said = {"padded": False, "segments": False}
    known = [key for key in INPUT_KEYS if key != ("shape" if kind == "tokens" else "")]
    if kind in ("image", "mask"):
        known = ["shape"]
    elif kind not in PACKED:
        known = [key for key in known if key != "segments"]
    for key, option in options:
        if key not in known:
            hint = did_you_mean(key, known)
            report.error("AR0102", f"unknown key `{key}`", option.key, hint)
        elif key == "max":
            longest = read_max(name, option, scope, report)
        elif key in said:
            value = plain(option.value, scope)
            said[key] = value is True
            report.mark(f"inputs.{name}.{key}", "written", option.value.span)
            if not isinstance(value, bool):
                place = first_line(option.value.span)
                report.error("AR0104", f"`{key}` must be `true` or `false`", place)
    return longest, said["padded"], said["segments"]


def read_max(name: str, option: Entry, scope: Scope, report: Report) -> Sized | None:
    report.mark(f"inputs.{name}.max", "written", option.value.span)
    try:
        return whole(plain(option.value, scope), 1, 2**31)
    except Fault as fault:
        if fault.message.startswith("must "):
            fault.message = f"`max` {fault.message}"
        report.fault(fault, first_line(option.value.span))
        return None


def read_shape(
    kind: Kind, entry: Entry | None, form: Entry, scope: Scope, report: Report
) -> tuple[Sized | str, ...] | None:
    wanted = len(SHAPES[kind].split(","))
    tree = entry.value if entry else None
    if not isinstance(tree, Sequence) or len(tree.items) != wanted:
        count = f"this has {len(tree.items)}" if isinstance(tree, Sequence) else ""
        place = first_line(tree.span) if tree else form.key
        message = f"`{kind}` wants the shape `[{SHAPES[kind]}]`"
        report.error("AR0208", message, place, count or f"{wanted} sizes")
        return None
    shape: list[Sized | str] = []
    for axis, item in enumerate(tree.items):
        if isinstance(item, Scalar) and LETTER.match(item.text) and item.text not in scope:
            shape.append(item.text)
            if axis not in FREE_AXES.get(kind, ()):
                message = f"`{kind}` needs a size here"
                label = f"`{item.text}` is a free length"
                report.error("AR0302", message, item.span, label, help=FIXED)
            continue
        try:
            shape.append(whole(plain(item, scope), 1, 2**31))
        except Fault as fault:
            if fault.message.startswith("must "):
                fault.message = f"a size of `{kind}` {fault.message}"
            report.fault(fault, first_line(item.span))
            return None
    return tuple(shape)
