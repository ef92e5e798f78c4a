"""Reading `graph:` and `outputs:`: named nodes and the edges between them."""

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.model.blocks import Block
from archspec.model.catalog import COMPONENTS, JOINING, LATER, extensions
from archspec.model.component import read_component
from archspec.model.spec import Node
from archspec.model.stack import Stack
from archspec.model.stacks import read_stack
from archspec.model.surroundings import Surroundings
from archspec.model.words import NODE_KEYS
from archspec.source.compose import first_line
from archspec.source.fault import Fault
from archspec.source.names import check_edge_name
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed, nearest
from archspec.source.tree import Entry, Scalar, Sequence, Table, Tree, described


def read_graph(
    tree: Tree, blocks: dict[str, Block], around: Surroundings
) -> tuple[dict[str, Node], bool]:
    """The nodes that could be read, edges not yet checked, and whether all could."""
    report = around.report
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", "`graph` is a mapping of nodes", first_line(tree.span), label)
        return {}, False
    if not tree.entries:
        report.error("AR0215", "`graph` is empty", first_line(tree.span), "a model needs a node")
    found: dict[str, Node] = {}
    above: str | None = None
    for name, entry in tree:
        try:
            check_edge_name(name, "a node")
        except Fault as fault:
            report.fault(fault, entry.key)
        report.mark(name, "written", entry.key)
        node = read_node(name, entry, above, blocks, around)
        if node is not None:
            found[name] = node
        above = name
    return found, len(found) == len(tree.entries)


def read_node(
    name: str, entry: Entry, above: str | None, blocks: dict[str, Block], around: Surroundings
) -> Node | None:
    report, tree = around.report, entry.value
    if not isinstance(tree, Table):
        message = f"node `{name}` wants a mapping with its component"
        hint = ""
        if isinstance(tree, Scalar) and names_component(tree.text):
            hint = f"write `{name}: {{{tree.text}: {{…}}}}`"
        report.error("AR0104", message, first_line(tree.span), hint or f"this is {described(tree)}")
        return None
    word = component_word(name, entry, tree, report)
    inputs = read_edges(word, entry, tree, above, report)
    if word is None:
        return None
    component: Component | Stack | None
    if word == "stack":
        component = read_stack(tree.entries[word], f"{name}.stack", blocks, around)
    else:
        component = read_component(word, tree.entries[word], f"{name}.{word}", around)
    if component is None or inputs is None:
        return None
    return Node(name, component, inputs, entry.key)


def component_word(name: str, entry: Entry, tree: Table, report: Report) -> str | None:
    words = [word for word in tree.entries if names_component(word)]
    strange = [key for key in tree.entries if key not in words and key not in NODE_KEYS]
    for key in strange:
        unknown_in_node(key, tree.key(key), bool(words), report)
    if "after" in tree:
        report.error(
            "AR0509", "`after` needs `extends`", tree.key("after"), "this spec extends nothing"
        )
    if len(words) > 1:
        message = f"node `{name}` names more than one component"
        others = ((tree.key(words[0]), "the first"),)
        report.error("AR0106", message, tree.key(words[1]), "a second one", others=others)
    elif not words and not strange:
        there = f"there are {listed(('stack', *COMPONENTS))}"
        report.error("AR0106", f"node `{name}` names no component", entry.key, help=there)
    return words[0] if len(words) == 1 else None


def names_component(word: str) -> bool:
    return word == "stack" or word in COMPONENTS


def unknown_in_node(key: str, span: Span, has_word: bool, report: Report) -> None:
    if key in LATER:
        message = f"`{key}` is part of the language but not of this version"
        report.error("AR0103", message, span, "not yet")
    elif key in extensions().faults:
        message = f"component `{key}` could not be added to the language"
        report.error("AR0107", message, span, extensions().faults[key])
    elif has_word:
        report.error("AR0102", f"unknown key `{key}`", span, did_you_mean(key, NODE_KEYS))
    else:
        words = ("stack", *COMPONENTS)
        hint = did_you_mean(key, (*words, *NODE_KEYS))
        there = "" if hint else f"there are {listed(words)}"
        what = "key" if nearest(key, (*words, *NODE_KEYS)) in NODE_KEYS else "component"
        report.error("AR0107", f"unknown {what} `{key}`", span, hint, help=there)


def read_edges(
    word: str | None, entry: Entry, tree: Table, above: str | None, report: Report
) -> tuple[str, ...] | None:
    written = tree.entries.get("in")
    if written is None:
        if above is None:
            report.error(
                "AR0402",
                "the first node needs `in`",
                entry.key,
                "there is no node above it",
                help="add `in: NAME` with the name of an input",
            )
            return None
        if word in JOINING:
            report.error(
                "AR0406",
                f"`{word}` joins several values",
                entry.key,
                "which ones?",
                help="add `in: [a, b]`",
            )
            return None
        return (above,)
    items = written.value.items if isinstance(written.value, Sequence) else (written.value,)
    names = [item.text for item in items if isinstance(item, Scalar) and item.text]
    place = first_line(written.value.span)
    if len(names) != len(items) or not names:
        report.error("AR0104", "`in` is a name or a list of names", place)
        return None
    if word in JOINING and len(names) < 2:
        report.error(
            "AR0406",
            f"`{word}` joins several values",
            place,
            "this is one",
            help="write `in: [a, b]`",
        )
    if word == "contrast" and len(names) > 2:
        report.error("AR0406", "`contrast` compares two values", place, f"these are {len(names)}")
    if word is not None and word not in JOINING and len(names) > 1:
        report.error(
            "AR0406",
            f"`{word}` reads one value",
            place,
            f"these are {len(names)}",
            help=f"join them first with {listed(JOINING)}",
        )
    return tuple(names)


def read_outputs(
    tree: Tree | None, graph: dict[str, Node], complete: bool, report: Report
) -> tuple[str, ...]:
    """The names of the results; the last node unless written."""
    if tree is None:
        return (list(graph)[-1],) if graph else ()
    report.mark("outputs", "written", first_line(tree.span))
    items = tree.items if isinstance(tree, Sequence) else (tree,)
    found: list[str] = []
    for item in items:
        if not isinstance(item, Scalar):
            label = f"this is {described(item)}"
            report.error("AR0104", "`outputs` is a list of names", first_line(item.span), label)
        elif item.text in found:
            report.error("AR0409", f"output `{item.text}` is named twice", item.span)
        elif item.text in graph or not complete:
            found.append(item.text)
        else:
            hint = did_you_mean(item.text, graph)
            report.error("AR0401", f"no node `{item.text}`", item.span, hint)
    if not items:
        report.error("AR0215", "`outputs` is empty", first_line(tree.span), "name a node")
    return tuple(found)


def attentions(node: Node) -> list[tuple[str, Attention]]:
    """Every attention in a node with its path."""
    if isinstance(node.component, Attention):
        return [(f"{node.name}.attention", node.component)]
    if not isinstance(node.component, Stack):
        return []
    found: list[tuple[str, Attention]] = []
    for k, layer in enumerate(node.component.variants):
        prefix = f"{node.name}.layer" + (f"[{k}]" if k else "")
        for name, sublayer in layer.sublayers.items():
            for branch, mixer in sublayer.mixers.items():
                if isinstance(mixer.component, Attention):
                    way = f"{name}.parallel.{branch}" if sublayer.parallel else name
                    found.append((f"{prefix}.{way}.attention", mixer.component))
    return found
