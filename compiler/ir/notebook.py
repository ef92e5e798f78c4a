"""A program as a notebook shows it."""

from archspec.source.markup import paragraph, table
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import as_poly, text


def program_html(program: Program) -> str:
    """The letters and every operator once, layers folded, with the shape of what it makes."""
    letters = [
        (known.name, known.meaning, "at run time" if known.size is None else str(known.size))
        for known in program.key.key.values()
    ]
    rows = [
        (
            place.path,
            type(place.node.what).__name__,
            ", ".join(map(str, place.node.types)),
            text(as_poly(place.uses) * place.steps),
            str(place.node.span.line) if place.node.span.file else "",
        )
        for place in program.places()
        if isinstance(place.node.what, Operator)
    ]
    return "\n".join(
        [
            paragraph(": ".join(filter(None, (program.name, program.about)))),
            table("letters", ("letter", "means", "size"), letters, (2,)),
            table("operators", ("node", "operator", "makes", "uses", "line"), rows, (3, 4)),
        ]
    )
