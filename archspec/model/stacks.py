"""Reading a stack: which layer stands where after `cycle` and `at`."""

from archspec.components.fields import whole
from archspec.components.written import plain
from archspec.model.blocks import Block, instantiate
from archspec.model.layers import read_sublayers
from archspec.model.patch import apply_to_layer, patches
from archspec.model.stack import Layer, Stack
from archspec.model.surroundings import Surroundings
from archspec.model.words import STACK_KEYS
from archspec.source.compose import first_line, value_of
from archspec.source.expression import Scope, evaluate
from archspec.source.fault import Fault
from archspec.source.frozen import Frozen
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean
from archspec.source.tree import Entry, Scalar, Sequence, Table, Tree, described

MAX_REPEAT = 10_000
MAX_CYCLE = 1_000
MAX_KINDS = 128  # of layers in one stack: each is read, lowered and written once


class At(Frozen):
    """A patch for the layers `start..stop`."""

    start: int
    stop: int
    patch: Entry


def read_stack(
    entry: Entry, path: str, blocks: dict[str, Block], around: Surroundings
) -> Stack | None:
    """The stack at `path` (`h.stack`); marks of its layers go under `h.layer` and `h.layer[k]`."""
    report, tree = around.report, entry.value
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", "`stack` wants a mapping", first_line(tree.span), label)
        return None
    check_keys(tree, entry, report)
    repeat = read_repeat(tree, around)
    layer = tree.entries.get("layer")
    if repeat is None or layer is None:
        return None
    report.mark(f"{path}.repeat", "written", tree.entries["repeat"].value.span)
    before = len(report.diagnostics)
    cycle = read_cycle(tree.get("cycle"), around)
    places = read_at(tree.get("at"), repeat, around)
    share = read_share(tree, path, report)
    for word in ("cycle", "at"):
        if word in tree:
            report.mark(f"{path}.{word}", "written", tree.key(word))
    if len(report.diagnostics) > before:
        cycle, places = [], []
    made = Variants(layer, cycle, places, blocks, path.removesuffix(".stack"), around)
    order = tuple(made.variant(i) for i in range(repeat))
    if made.failed:
        return None
    if share and len(made.layers) > 1:
        others = [(tree.key(word), "they differ here") for word in ("cycle", "at") if word in tree]
        report.error(
            "AR0507",
            "a shared stack has equal layers",
            tree.key("share"),
            "one set of weights for all layers",
            others=tuple(others),
        )
    return Stack(tuple(made.layers), order, share, repeat, entry.key)


def check_keys(tree: Table, entry: Entry, report: Report) -> None:
    strange = [key for key in tree.entries if key not in STACK_KEYS]
    meant = {did_you_mean(key, STACK_KEYS) for key in strange}
    for key in strange:
        hint = did_you_mean(key, STACK_KEYS)
        report.error("AR0102", f"unknown key `{key}`", tree.key(key), hint)
    absent = [key for key in ("repeat", "layer") if key not in tree]
    absent = [key for key in absent if f"did you mean `{key}`?" not in meant]
    if absent:
        keys = " and ".join(f"`{key}`" for key in absent)
        report.error("AR0101", f"`stack` lacks {keys}", entry.key, "required here")


def read_repeat(tree: Table, around: Surroundings) -> Sized | None:
    entry = tree.entries.get("repeat")
    if entry is None:
        return None
    try:
        return whole(plain(entry.value, around.scope), 1, MAX_REPEAT)
    except Fault as fault:
        if fault.message.startswith("must "):
            fault.message = f"`repeat` {fault.message}"
        place = entry.value.span if isinstance(entry.value, Scalar) else entry.key
        around.report.fault(fault, place)
        return None


def read_share(tree: Table, path: str, report: Report) -> bool:
    entry = tree.entries.get("share")
    report.mark(f"{path}.share", "default" if entry is None else "written", tree.key("share"))
    value = value_of(entry.value) if entry and isinstance(entry.value, Scalar) else None
    if entry is not None and not isinstance(value, bool):
        place = first_line(entry.value.span)
        report.error("AR0104", "`share` must be `true` or `false` here", place)
    return value is True


def read_cycle(tree: Tree | None, around: Surroundings) -> list[Entry]:
    """The patches of one round; `{times: n, patch: {…}}` counts n times."""
    if tree is None:
        return []
    if not isinstance(tree, Sequence) or not tree.items:
        label = f"this is {described(tree)}" if not isinstance(tree, Sequence) else "nothing here"
        place = first_line(tree.span)
        around.report.error("AR0104", "`cycle` is a list of patches", place, label)
        return []
    found: list[Entry] = []
    for item in tree.items:
        times = 1
        place = first_line(item.span)
        if isinstance(item, Table) and set(item.entries) == {"times", "patch"}:
            times = read_times(item, around)
            item = item.entries["patch"].value
        if not isinstance(item, Table):
            label = f"this is {described(item)}"
            around.report.error("AR0104", "`cycle` is a list of patches", place, label)
            continue
        found += [Entry(place, item)] * times
    if len(found) > MAX_CYCLE:
        place = first_line(tree.span)
        around.report.error("AR0202", "`cycle` is too long", place, f"at most {MAX_CYCLE} layers")
        return []
    return found


def read_times(item: Table, around: Surroundings) -> int:
    times = item.entries["times"].value
    try:
        return int(whole(plain(times, around.scope), 1, MAX_CYCLE))
    except Fault as fault:
        if fault.message.startswith("must "):
            fault.message = f"`times` {fault.message}"
        around.report.fault(fault, first_line(times.span))
        return 1


def read_at(tree: Tree | None, repeat: int, around: Surroundings) -> list[At]:
    if tree is None:
        return []
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        place = first_line(tree.span)
        around.report.error("AR0104", "`at` is a mapping of layers to patches", place, label)
        return []
    found: list[At] = []
    for key, entry in tree:
        try:
            start, stop = layers_of(key, repeat, around.scope)
        except Fault as fault:
            around.report.fault(fault, entry.key)
            continue
        found.append(At(start, stop, entry))
    return found


def layers_of(key: str, repeat: int, scope: Scope) -> tuple[int, int]:
    """An index, a negative index or a half-open range `a..b`. Raises `Fault`."""
    first, dots, last = key.partition("..")
    where = f"there are {repeat} layers, 0 to {repeat - 1}"
    if dots and (not first.strip() or not last.strip()):
        raise Fault("AR0506", f"`{key}` is not a range of layers", help="write `0..3`: 0, 1 and 2")
    start = layer_index(first, scope)
    if not dots:
        index = start + repeat if start < 0 else start
        if not 0 <= index < repeat:
            raise Fault("AR0505", f"no layer {start}", where)
        return index, index + 1
    stop = layer_index(last, scope)
    begin = start + repeat if start < 0 else start
    end = stop + repeat if stop < 0 else stop
    if not 0 <= begin < repeat or end > repeat:
        raise Fault("AR0505", f"no layers {start} to {stop - 1}", where)
    if begin >= end:
        raise Fault("AR0506", f"range `{key}` is empty", "the end is not part of a range")
    return begin, end


def layer_index(text: str, scope: Scope) -> int:
    found = evaluate(text, scope)
    if isinstance(found, float):
        raise Fault("AR0506", f"`{text}` is not a layer", "an index is a whole number")
    return found


class Variants:
    """Reads each different combination of patches once."""

    def __init__(
        self,
        layer: Entry,
        cycle: list[Entry],
        places: list[At],
        blocks: dict[str, Block],
        path: str,
        around: Surroundings,
    ) -> None:
        self.layer = layer
        self.cycle = cycle
        self.places = places
        self.blocks = blocks
        self.path = path
        self.around = around
        self.seen: dict[tuple[int, ...], int] = {}
        self.layers: list[Layer] = []
        self.failed = False
        self.full = False

    def variant(self, i: int) -> int:
        if self.full:
            return 0
        chosen = [self.cycle[i % len(self.cycle)]] if self.cycle else []
        chosen += [at.patch for at in self.places if at.start <= i < at.stop]
        key = tuple(id(entry.value) for entry in chosen)
        if key not in self.seen:
            self.seen[key] = self.added(chosen)
        return self.seen[key]

    def added(self, chosen: list[Entry]) -> int:
        """The number of the layer that these patches make; equal layers have one number."""
        number = len(self.layers)
        path = f"{self.path}.layer" if number == 0 else f"{self.path}.layer[{number}]"
        layer = self.read(chosen, path)
        if layer is None:
            self.failed = True
            return 0
        if layer in self.layers:
            marks = self.around.report.marks
            for name in [name for name in marks if name.startswith((f"{path}.", f"{path}["))]:
                del marks[name]
            return self.layers.index(layer)
        if number == MAX_KINDS:
            message = f"a stack has at most {MAX_KINDS} kinds of layers"
            self.around.report.error("AR0202", message, chosen[-1].key, "one more than that")
            self.failed = self.full = True
            return 0
        self.layers.append(layer)
        return number

    def read(self, chosen: list[Entry], path: str) -> Layer | None:
        report = self.around.report
        before = len(report.diagnostics)
        found = self.whole(self.layer)
        if found is None:
            return None
        table, block = found
        for change in chosen:
            if isinstance(change.value, Table) and "use" in change.value:
                replaced = self.whole(change)
                if replaced is None:
                    return None
                table, block = replaced
                continue
            for way, entry in patches(change.value, report, "a patch"):
                table = apply_to_layer(table, way, entry, report)
        report.mark(path, "written", self.layer.key)
        sublayers = read_sublayers(table, path, self.around)
        if len(report.diagnostics) > before:
            return None
        return Layer(sublayers, self.layer.key, block)

    def whole(self, entry: Entry) -> tuple[Table, str] | None:
        """A layer as written, or the block it uses."""
        report, tree = self.around.report, entry.value
        if not isinstance(tree, Table):
            label = f"this is {described(tree)}"
            place = first_line(tree.span)
            report.error("AR0104", "`layer` is a mapping of sub-layers", place, label)
            return None
        if "use" not in tree:
            return tree, ""
        return instantiate(tree, self.blocks, self.around.scope, report)
