"""Ask the same of several specs: one that cannot be used does not silence the others."""

from collections.abc import Callable, Iterable

from archspec.source.diagnostic import SpecError, exit_status
from compiler.answer import Answer
from compiler.cli.tell import diagnostic_document, tell, tell_diagnostics, tell_json


def tell_each(
    kind: str, paths: Iterable[str], ask: Callable[[str], Answer], *, as_json: bool
) -> int:
    """Print each answer as it comes, or all in one document; returns the worst exit code."""
    documents: list[dict[str, object]] = []
    codes = [_tell_one(path, ask, documents, as_json=as_json) for path in paths]
    if as_json:
        tell_json(kind, {"ok": not any(codes), "specs": documents})
    return max(codes, default=0)


def _tell_one(
    path: str, ask: Callable[[str], Answer], documents: list[dict[str, object]], *, as_json: bool
) -> int:
    try:
        answer = ask(path)
    except SpecError as error:
        found = [diagnostic_document(each) for each in error.diagnostics]
        documents.append({"path": path, "ok": False, "diagnostics": found})
        if not as_json:
            tell_diagnostics(error.diagnostics)
        return exit_status(error.diagnostics) or 1
    if as_json:
        documents.append({"path": path, "ok": answer.ok, **answer.document()})
    else:
        tell(answer.text())
    return 0 if answer.ok else 1
