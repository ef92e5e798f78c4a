"""How parameters are drawn before training."""

from typing import Literal

from archspec.components.fields import real
from archspec.components.written import plain
from archspec.source.expression import Scope
from archspec.source.fault import Fault
from archspec.source.frozen import Frozen
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Scalar, Table, Tree, is_word

FORMS = ("torch", "xavier", "normal")


class Init(Frozen):
    """`torch`: each operator's own rule; `xavier`: Glorot & Bengio 2010, and tables of width D with
    deviation 1/√D; `normal`: deviation `std`.

    With `depth_scaled` the maps that end a residual branch are drawn with `std / sqrt(2 L)`
    (Radford et al. 2019).
    """

    kind: Literal["torch", "xavier", "normal"] = "torch"
    std: float = 0.0
    depth_scaled: bool = False


def read_init(tree: Tree, key: Span, path: str, scope: Scope, report: Report) -> Init:
    if is_word(tree, "torch") or is_word(tree, "xavier"):
        report.mark(path, "written", tree.span)
        return Init("torch" if is_word(tree, "torch") else "xavier")
    if not isinstance(tree, Table) or "normal" not in tree:
        written = tree.text if isinstance(tree, Scalar) else ""
        if isinstance(tree, Table):
            written = next(iter(tree.entries), "")
        label = did_you_mean(written, FORMS)
        report.error(
            "AR0206",
            f"`init` is one of {listed(FORMS)}",
            tree.span if isinstance(tree, Scalar) else key,
            label,
            help="write `torch`, `xavier` or `{normal: 0.02, residual: depth_scaled}`",
        )
        return Init()
    return read_normal(tree, path, scope, report)


def read_normal(tree: Table, path: str, scope: Scope, report: Report) -> Init:
    std, scaled = 0.0, False
    for name, entry in tree:
        report.mark(f"{path}.{name}", "written", entry.value.span)
        if name == "normal":
            try:
                std = real(plain(entry.value, scope), 0, 1e6)
            except Fault as fault:
                if fault.message.startswith("must "):
                    fault.message = f"`normal` {fault.message}"
                report.fault(fault, entry.value.span)
        elif name != "residual":
            hint = did_you_mean(name, ("normal", "residual"))
            report.error("AR0102", f"unknown key `{name}`", entry.key, hint)
        elif is_word(entry.value, "depth_scaled"):
            scaled = True
        elif not is_word(entry.value, "none"):
            report.error("AR0201", "`residual` is `depth_scaled` or `none`", entry.value.span)
    return Init("normal", std, scaled)
