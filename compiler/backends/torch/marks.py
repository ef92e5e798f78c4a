"""Marks in expressions: which node of the graph each part is of, for those who run the code."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from compiler.ir.graph import Graph, Node
from compiler.ir.program import join

Mark: TypeAlias = Callable[[Graph, Node, str], str]
"""What puts a mark around the expression of a node."""
OPEN: Final = "\x01"
MIDDLE: Final = "\x02"
CLOSE: Final = "\x03"
MARKS: Final = re.compile(f"{OPEN}\\d+{MIDDLE}|{CLOSE}")
ENTER: Final = "_enter"
LEAVE: Final = "_leave"


def unmarked(graph: Graph, node: Node, expression: str) -> str:
    """No mark: what people read has none."""
    del graph, node
    return expression


@dataclass
class Marks:
    """The nodes that were marked: their paths in the folded program, and their operators."""

    root: str
    nodes: list[tuple[str, str]] = field(default_factory=list)

    def around(self, graph: Graph, node: Node, expression: str) -> str:
        """The expression with a mark around it."""
        prefix = "" if graph.name == self.root else graph.name
        self.nodes.append((join(prefix, node.under or node.id), type(node.what).__name__))
        return f"{OPEN}{len(self.nodes) - 1}{MIDDLE}{expression}{CLOSE}"


def bare(text: str) -> str:
    """A text without its marks."""
    return MARKS.sub("", text) if OPEN in text else text


def called(text: str) -> str:
    """A text whose marks are calls of two functions, before and behind each part."""
    opened = re.sub(f"{OPEN}(\\d+){MIDDLE}", rf"({ENTER}(\1), (", text)
    return opened.replace(CLOSE, f"), {LEAVE}())[1]")
