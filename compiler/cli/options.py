"""Options that several commands share, so that each is spelled and explained once."""

from typing import Annotated

from cyclopts import Parameter

Specs = Annotated[
    str, Parameter(help="Spec files, folders that hold some, or `-` for stdin.", show_default=False)
]
OneSpec = Annotated[str, Parameter(help="A spec file, or `-` for stdin.")]
Set = Annotated[
    list[str] | None,
    Parameter(
        name="--set",
        metavar="PATH=VALUE",
        negative="",
        show_default=False,
        help="Change a value of the spec, such as `d_model=2048`; may be repeated.",
    ),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json", negative="", show_default=False, help="Answer with one JSON document."
    ),
]
Flag = Parameter(negative="", show_default=False)
