"""Checked specs as JUnit XML: a suite a spec, a case for the spec itself and for each limit."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from archspec.source.diagnostic import Diagnostic
from archspec.source.render import render
from compiler.report.budget import Verdict, broken

if TYPE_CHECKING:
    from compiler.pipeline import Checked

WHOLE: Final = "spec"


def junit(checked: "Sequence[Checked]", name: str) -> str:
    """The document; warnings stand in the output of a case that passes."""
    suites = [list(_cases(each)) for each in checked]
    failures = [sum(failed for failed, _ in cases) for cases in suites]
    tests = sum(map(len, suites))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f"<testsuites name={_attribute(name)}{_counts(tests, sum(failures))}>")
    for each, cases, failed in zip(checked, suites, failures, strict=True):
        lines.append(f"  <testsuite name={_attribute(each.path)}{_counts(len(cases), failed)}>")
        lines += [line for _, case in cases for line in case]
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines)


def _cases(checked: "Checked") -> Iterator[tuple[bool, list[str]]]:
    """Whether each case fails, and its lines: the spec, then its limits."""
    over = set(broken(checked.verdicts))
    yield _case(checked.path, WHOLE, [each for each in checked.diagnostics if each not in over])
    for verdict in checked.verdicts:
        yield _case(checked.path, verdict.said, list(broken((verdict,))), _holds(verdict))


def _holds(verdict: Verdict) -> str:
    return verdict.sentence() if verdict.ok else ""


def _case(
    path: str, name: str, found: Sequence[Diagnostic], said: str = ""
) -> tuple[bool, list[str]]:
    head = f"    <testcase classname={_attribute(path)} name={_attribute(name)}"
    errors = [each for each in found if each.severity == "error"]
    if not errors:
        said = "\n".join(filter(None, (said, render(found).strip() if found else "")))
        out = f"      <system-out>{_text(said)}</system-out>"
        return False, [f"{head}>", out, "    </testcase>"] if said else [f"{head}/>"]
    message = "; ".join(each.message for each in errors)
    kind = _attribute(errors[0].code)
    failure = f"      <failure type={kind} message={_attribute(message)}>"
    lines = [f"{head}>", f"{failure}{_text(render(found))}</failure>", "    </testcase>"]
    return True, lines


def _counts(tests: int, failures: int) -> str:
    return f' tests="{tests}" failures="{failures}" errors="0"'


def _text(said: str) -> str:
    return escape(_allowed(said))


def _attribute(said: str) -> str:
    return quoteattr(" ".join(_allowed(said).split()))


def _allowed(said: str) -> str:
    """What XML 1.0 can say: no control characters but line ends, no halves of characters."""
    return "".join(c if c == "\n" or c.isprintable() or c == "\u202f" else "?" for c in said)
