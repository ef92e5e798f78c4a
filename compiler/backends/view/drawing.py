"""A program as a picture, in the language that was asked for."""

from collections.abc import Callable
from typing import Final

from compiler.backends.view.dot import dot
from compiler.backends.view.framing import framed
from compiler.backends.view.mermaid import mermaid
from compiler.backends.view.outline import Loads, outline
from compiler.backends.view.picture import Frame
from compiler.backends.view.svg import svg
from compiler.ir.program import Program

FORMS: Final[dict[str, Callable[[Frame], str]]] = {"svg": svg, "mermaid": mermaid, "dot": dot}


def draw(program: Program, form: str = "svg", *, expand: bool = False) -> str:
    """The picture's text: shapes on the edges, repeats folded unless `expand` is asked for.

    `form` is `svg`, `mermaid` or `dot`. Raises KeyError for another one.
    """
    return FORMS[form](framed(program, expand=expand))


def outlined(program: Program, loads: Loads) -> str:
    """The outline as an SVG element for a page that has its style."""
    return svg(outline(program, loads), styled=False)
