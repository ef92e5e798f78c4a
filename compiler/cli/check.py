"""`archc check`: parse and validate specs; write nothing."""

from typing import Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import Json, Set, Specs


def check(
    *specs: Specs,
    settings: Set = None,
    format: Annotated[
        Literal["full", "concise", "github"], Parameter(help="How to print what is wrong.")
    ] = "full",
    as_json: Json = False,
) -> int:
    """Parse and validate specs, their shapes and budgets; write nothing.

    All errors of all specs are shown at once. A folder is walked for specs, `broken/` skipped.
    """
    from compiler.cli.findings import tell_findings
    from compiler.cli.sources import spec_files
    from compiler.pipeline import check as check_specs

    checked = check_specs(spec_files(specs), settings or [])
    found = {each.path: each.diagnostics for each in checked}
    return tell_findings(found, "json" if as_json else format)
