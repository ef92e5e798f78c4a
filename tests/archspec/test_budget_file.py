"""Limits in a file of their own."""

from pathlib import Path

import pytest

from archspec.budget_file import limits_of
from archspec.source.diagnostic import SpecError, exit_status


def test_it_is_the_mapping_of_a_spec_with_places_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text(
        '# for phones\n"kv_bytes@{B: 2, T: n_ctx, precision: fp32}": 4 * d_model\n'
        '"weights_bytes@{device: l4}": fits\n'
    )
    first, second = limits_of(str(file), {"d_model": 64, "n_ctx": 512}).values()
    assert (first.metric, first.limit) == ("kv_bytes", 256)
    assert dict(first.at) == {"B": 2, "T": 512, "precision": "fp32"}
    assert (first.span.file, first.span.line) == (str(file), 2)
    assert (second.limit, dict(second.at)) == ("fits", {"device": "l4"})


@pytest.mark.parametrize(
    ("text", "code", "status"),
    [
        (b"parameters: wide", "AR0601", 1),
        (b"a lot: 1", "AR0801", 1),
        (b"weights_bytes: fits", "AR0801", 1),
        (b'"kv_bytes@{B: 1, B: 2}": 1', "AR0801", 1),
        (b"parameters: -1", "AR0202", 1),
        (b"[1]", "AR0012", 1),
        (b"# nothing", "AR0004", 1),
        (b"--- {}\n--- {}", "AR0008", 1),
        (b"parameters: null", "AR0104", 1),
        (b"\xff", "AR0002", 1),
        (b"# " + b"x" * 2_000_000, "AR0005", 1),
        (None, "AR0001", 2),
    ],
)
def test_a_file_that_is_no_budget(
    text: bytes | None, code: str, status: int, tmp_path: Path
) -> None:
    file = tmp_path / "limits.yaml"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(SpecError) as raised:
        limits_of(str(file), {"d_model": 64})
    (only,) = raised.value.diagnostics
    assert (only.code, only.primary.span.file) == (code, str(file))
    assert exit_status([only]) == status
    said = only.message + only.primary.text + only.help
    assert "spec" not in said and "None" not in said
