"""What cannot be written in a family's layout is said, all of it, at the spec's `weights:`."""

from collections.abc import Mapping

from archspec.source.diagnostic import Diagnostic
from archspec.source.span import Span
from compiler.importers.layout import lay_out
from compiler.importers.lazy import Lazy
from tests.importers.samples import Array, counted, held
from tests.importers.test_rename import rules_from

PLACE = Span("spec.yaml", 7, 1, 7, 8)
RULES = {
    "m.{i}.weight": "h.{i}.weight",
    "m.0.weight": "drop",
    "gu": {"to": ["g.weight", "u.weight"], "op": "deinterleave"},
}


def laid_out(arrays: Mapping[str, Array]) -> Mapping[str, Lazy] | tuple[Diagnostic, ...]:
    return lay_out(held(arrays), rules_from(RULES), sizes={}, ties={}, place=PLACE)


def test_what_fits_is_given_under_its_names() -> None:
    found = laid_out({f"h.{n}.weight": counted(2) for n in (1, 2)})
    assert isinstance(found, Mapping)
    assert list(found) == ["m.1.weight", "m.2.weight"]


def test_everything_that_does_not_fit_is_said_at_once() -> None:
    found = laid_out(
        {
            **{f"h.{n}.weight": counted(2) for n in range(2)},
            "g.weight": counted(2),
            "u.weight": counted(3),
            **{f"h.{n}.bias": counted(2) for n in range(2)},
        }
    )
    assert isinstance(found, tuple)
    assert [(each.code, each.severity) for each in found] == [
        ("AR0716", "error"),
        ("AR0717", "error"),
        ("AR0718", "error"),
    ]
    assert {each.primary.span for each in found} == {PLACE}
    unruled, no_way, astray = found
    assert unruled.message == "2 parameters have no place in files of this family"
    assert unruled.help == "no rule gives `h.{0..1}.bias`"
    assert no_way.message == "`g.weight`, `u.weight` cannot be written as `gu`"
    assert astray.message == "`h.0.weight` would not be read back from `m.0.weight`"
