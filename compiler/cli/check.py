"""`archc check`: parse and validate specs; write nothing."""

from typing import Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import Budget, Json, Set, Specs


def check(
    *specs: Specs,
    budget: Budget = None,
    settings: Set = None,
    format: Annotated[
        Literal["full", "concise", "markdown", "json", "github", "sarif", "junit"],
        Parameter(
            help="How to print what is wrong; the last three are for GitHub's annotations and code "
            "scanning, and for test reports with a case for each limit."
        ),
    ] = "full",
    as_json: Json = False,
) -> int:
    """Parse and validate specs, their shapes and budgets; write nothing.

    All errors of all specs are shown at once. A folder is walked for specs, `broken/` skipped.
    The limits of `--budget` hold for every spec.
    """
    from compiler.cli.findings import tell_checked
    from compiler.cli.sources import spec_files
    from compiler.pipeline import check as check_specs

    checked = check_specs(spec_files(specs), settings or [], budget or [])
    return tell_checked(checked, "json" if as_json else format, "check")
