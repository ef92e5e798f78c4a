"""Files of devices that are wrong: every fault at once, each at its place."""

import pytest

from archspec.source.diagnostic import Diagnostic, SpecError, exit_status
from compiler.report.device.reading import read_devices

GOOD = "memory_gib: 48, bandwidth_gb_s: 864, tflops: {bf16: 181}"


def refused(text: str | bytes) -> list[Diagnostic]:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(SpecError) as caught:
        read_devices(data, "mine.yaml")
    assert exit_status(caught.value.diagnostics) == 2
    return list(caught.value.diagnostics)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("memory_gib: 48\n", 1, 1),
        ("devices: {}\n", 1, 10),
        ("devices:\n  mine: [\n", 3, 1),
        ("- 1\n", 1, 1),
        ("# nothing\n", 1, 1),
        (b"\xff\xfe", 1, 1),
        ("devices: {a: {title: " + "x" * 70_000 + "}}", 1, 1),
    ],
)
def test_no_file_of_devices(text: str | bytes, line: int, column: int) -> None:
    (found,) = refused(text)
    assert found.code == "AR0951"
    assert "spec" not in found.message + found.primary.text + found.help
    assert (found.primary.span.line, found.primary.span.column) == (line, column)


@pytest.mark.parametrize(
    ("device", "message", "label"),
    [
        ("3", "`mine` is no device", "`3`"),
        (f"{{{GOOD}, memory: 3}}", "unknown key `memory`", "did you mean `memory_gib`?"),
        ("{memory_gib: 48, tflops: {bf16: 1}}", "`mine` has no `bandwidth_gb_s`", "it is needed"),
        (f"{{{GOOD}, power_w: -3}}", "`power_w` is a number above 0", "not `-3`"),
        (f"{{{GOOD}, power_w: 0}}", "`power_w` is a number above 0", "not `0`"),
        (f"{{{GOOD}, link_gb_s: '3'}}", "`link_gb_s` is a number above 0", "not `3`"),
        (f"{{{GOOD}, link_gb_s: .inf}}", "`link_gb_s` is a number above 0", "not `.inf`"),
        (f"{{{GOOD}, link_gb_s: [3]}}", "`link_gb_s` is a number above 0", "not a list"),
        (
            "{memory_gib: 1, bandwidth_gb_s: 1, tflops: {bf: 1}}",
            "no precision is called `bf`",
            "there are `fp32`, `tf32`, `bf16`, `fp16`, `fp8`, `int8` and `fp4`",
        ),
        (
            "{memory_gib: 1, bandwidth_gb_s: 1, tflops: 181}",
            "`tflops` has a rate by precision",
            "not `181`",
        ),
        (f"{{{GOOD}, title: [a]}}", "`title` is a text", "not a list"),
        (f"{{{GOOD}, dense: false}}", "`dense` can only be `true`", "not `false`"),
        (f"{{{GOOD}, also: mine}}", "`also` is a list of names", "`mine`"),
        (
            f"{{{GOOD}, achieved_tflops: {{bf16: 181.5}}}}",
            "`bf16` cannot be achieved",
            "more than its rate",
        ),
        (
            f"{{{GOOD}, achieved_tflops: {{fp16: 9}}}}",
            "`fp16` cannot be achieved",
            "`tflops` has no rate of it",
        ),
    ],
)
def test_a_device_that_is_not_described(device: str, message: str, label: str) -> None:
    (found,) = refused(f"devices:\n  mine: {device}\n")
    assert (found.code, found.message, found.primary.text) == ("AR0952", message, label)
    assert found.primary.span.file == "mine.yaml"
    assert found.primary.span.line == 2


def test_all_faults_come_at_once() -> None:
    text = f"devices:\n  a: {{{GOOD}, x: 1, y: 2}}\n  b: 3\n  c: {{{GOOD}}}\nmore: 1\n"
    assert [found.primary.span.line for found in refused(text)] == [5, 2, 2, 3]


def test_words_are_printable_and_in_one_line() -> None:
    text = f'devices: {{mine: {{{GOOD}, title: "a\\n\\e[31mb \\u202e c"}}}}'
    (found,) = read_devices(text.encode(), "mine.yaml")
    assert found.title == r"a \x1b[31mb \u202e c"


@pytest.mark.parametrize("name", ['"a b"', '"a\\nb"', '"`"', '"\\u202e"', "x" * 65])
def test_a_name_is_one_word(name: str) -> None:
    (found,) = refused(f"devices: {{? {name} : {{{GOOD}}}}}")
    assert (found.code, found.message) == ("AR0952", "this cannot name a device")


@pytest.mark.parametrize("second", ["yours: {%s, also: [mine]}", "yours: {%s, also: [my]}"])
def test_a_name_is_one_device(second: str) -> None:
    text = f"devices:\n  mine: {{{GOOD}, also: [my, my]}}\n  {second % GOOD}\n"
    (found,) = refused(text)
    assert (found.code, found.primary.span.line) == ("AR0952", 3)
    assert found.message.endswith(" names two devices")
