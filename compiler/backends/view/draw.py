"""A program as a picture, in the language that was asked for."""

from typing import Literal

from compiler.backends.view.dot import dot
from compiler.backends.view.framing import framed
from compiler.backends.view.mermaid import mermaid
from compiler.backends.view.svg import svg
from compiler.ir.program import Program

Form = Literal["svg", "mermaid", "dot"]


def draw(program: Program, form: Form = "svg", *, expand: bool = False) -> str:
    """The picture's text: shapes on the edges, repeats folded unless `expand` is asked for."""
    frame = framed(program, expand=expand)
    match form:
        case "svg":
            return svg(frame)
        case "mermaid":
            return mermaid(frame)
        case "dot":
            return dot(frame)
