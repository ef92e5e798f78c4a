"""What the kinds of position bias share: written `{kind: {settings}}`, one of them."""

from typing import ClassVar

from archspec.components.kind import Kind
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Table, Tree

KINDS = ("alibi", "t5", "grid", "disentangled")


class PositionBias(Kind):
    """A number for each head, query and key, added to the scaled scores of an attention."""

    word: ClassVar[str] = "position_bias"

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        assert isinstance(tree, Table)
        if len(tree.entries) == 1:
            return super().unfold(tree.entries[cls.word].value, report)
        _, second, *_ = tree.entries
        strange = next((name for name in tree.entries if name not in KINDS), second)
        report.error(
            "AR0206",
            f"`position_bias` is one of {listed(KINDS)}",
            tree.key(strange),
            "two at once" if strange in KINDS else did_you_mean(strange, KINDS),
        )
        return None
