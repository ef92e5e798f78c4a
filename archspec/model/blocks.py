"""`blocks:`, layers with parameters, and `use:`, their instances."""

from archspec.model.patch import apply_to_layer, patches
from archspec.model.sizes import Values, read_size, read_sizes
from archspec.source.compose import first_line
from archspec.source.expression import Scope
from archspec.source.fault import Fault
from archspec.source.frozen import Frozen
from archspec.source.names import check_name
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean, existing
from archspec.source.tree import Entry, Scalar, Table, Tree, described, scoped

BLOCK_KEYS = ("params", "layer")
USE_KEYS = ("use", "with", "set")


class Block(Frozen):
    """A named layer as text; `params` holds the values its parameters have unless given."""

    params: Values
    layer: Table


def read_blocks(tree: Tree | None, scope: Scope, report: Report) -> dict[str, Block]:
    if tree is None:
        return {}
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", "`blocks` is a mapping of names", first_line(tree.span), label)
        return {}
    found: dict[str, Block] = {}
    for name, entry in tree:
        block = read_block(name, entry, scope, report)
        if block is not None:
            found[name] = block
    return found


def read_block(name: str, entry: Entry, scope: Scope, report: Report) -> Block | None:
    try:
        check_name(name, "a block")
    except Fault as fault:
        report.fault(fault, entry.key)
    if not isinstance(entry.value, Table):
        label = f"this is {described(entry.value)}"
        report.error("AR0104", f"block `{name}` is a mapping", first_line(entry.value.span), label)
        return None
    for key, option in entry.value:
        if key not in BLOCK_KEYS:
            hint = did_you_mean(key, BLOCK_KEYS)
            report.error("AR0102", f"unknown key `{key}`", option.key, hint)
    params: Values = {}
    written = entry.value.get("params")
    if written is not None:
        params = read_sizes(written, f"blocks.{name}.params", report, dict(scope))
    layer = entry.value.get("layer")
    if not isinstance(layer, Table):
        report.error("AR0101", f"block `{name}` lacks its `layer`", entry.key, "required here")
        return None
    return Block(params, layer)


def instantiate(
    use: Table, blocks: dict[str, Block], scope: Scope, report: Report
) -> tuple[Table, str] | None:
    """The layer that `{use: NAME, with: {…}, set: {…}}` means, and the block's name.

    Expressions inside see the block's parameters before the spec's sizes; those written under
    `with` and `set` see what stands around the use.
    """
    name = use.get("use")
    for key, option in use:
        if key not in USE_KEYS:
            hint = did_you_mean(key, USE_KEYS)
            report.error(
                "AR0102",
                f"unknown key `{key}`",
                option.key,
                hint,
                help="patches of a used block stand under `set`",
            )
    if not isinstance(name, Scalar) or name.text not in blocks:
        word = name.text if isinstance(name, Scalar) else ""
        place = name.span if isinstance(name, Scalar) else use.key("use")
        there = existing(blocks, "block") or "the spec has no `blocks`"
        report.error("AR0502", f"no block `{word}`", place, did_you_mean(word, blocks), help=there)
        return None
    block = blocks[name.text]
    given = arguments(name.text, use, block, scope, report)
    layer = scoped(block.layer, {**scope, **block.params, **given})
    assert isinstance(layer, Table)
    changes = use.get("set")
    if changes is not None:
        for path, entry in patches(changes, report, "`set`"):
            outer = Entry(entry.key, scoped(entry.value, scope))
            layer = apply_to_layer(layer, path, outer, report)
    return layer, name.text


def arguments(name: str, use: Table, block: Block, scope: Scope, report: Report) -> Values:
    written = use.get("with")
    if written is None:
        return {}
    if not isinstance(written, Table):
        label = f"this is {described(written)}"
        report.error("AR0104", "`with` is a mapping of sizes", first_line(written.span), label)
        return {}
    given: Values = {}
    for key, entry in written:
        given[key] = read_size(key, entry, dict(scope), "with", report)
        if key not in block.params:
            hint = did_you_mean(key, block.params)
            there = existing(block.params, "parameter") or "it has no parameters"
            report.error(
                "AR0503",
                f"block `{name}` has no parameter `{key}`",
                entry.key,
                hint,
                help="" if hint else there,
            )
    return given
