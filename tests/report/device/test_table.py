"""The table of devices: published ridge points, dense rates, and names that are not there."""

import sys
from pathlib import Path

import pytest

from archspec.source.diagnostic import Diagnostic, SpecError, exit_status
from compiler.answer import CannotAnswer
from compiler.report.device.device import GIB
from compiler.report.device.section import listing
from compiler.report.device.table import device, shipped

RIDGES = {
    "a100": 153,
    "h100": 295,
    "h100-pcie": 378,
    "h200": 206,
    "l4": 403,
    "b200": 281,
    "gb200": 312,
    "b300": 290,
    "mi300x": 247,
}
"""FLOPs a byte in bf16, from which on a product is bound by computing."""


def refused(said: str) -> Diagnostic:
    with pytest.raises(SpecError) as caught:
        device(said)
    assert exit_status(caught.value.diagnostics) == 2
    return caught.value.diagnostics[0]


@pytest.mark.parametrize("name", RIDGES)
def test_ridge_points(name: str) -> None:
    assert round(device(name).ridge("bf16")) == RIDGES[name]


def test_every_entry_says_where_its_numbers_are_from() -> None:
    for each in shipped():
        assert each.source
        assert each.date
        assert each.link > 0
        assert 16 * GIB < each.memory < 512 * GIB


def test_rates_are_dense_and_double_as_types_halve() -> None:
    """Sparse rates, which sheets print first, would be twice as high."""
    for each in shipped():
        assert each.rates["bf16"] == each.rates["fp16"]
        if "tf32" in each.rates:
            assert 1.9 < each.rates["bf16"] / each.rates["tf32"] < 2.1
        if "fp8" in each.rates:
            assert each.rates["fp8"] == pytest.approx(2 * each.rates["bf16"], rel=1e-3)
        for precision, reached in each.achieved.items():
            assert 0.5 < reached / each.rates[precision] < 0.9


def test_numbers_that_other_tables_have_wrong() -> None:
    assert device("l4").bandwidth == 300 * 10**9
    assert device("l4").rates["bf16"] == 121 * 10**12
    assert device("h100").rates["fp32"] == 67 * 10**12
    assert device("mi300x").rates["fp16"] == 1_307_400 * 10**9


def test_names_are_alone() -> None:
    names = [name for each in shipped() for name in (each.name, *each.also)]
    assert len(names) == len(set(names))
    assert device("H200") == device("h200-sxm")


def test_an_unknown_name_is_met_with_the_nearest() -> None:
    found = refused("h20")
    assert found.code == "AR0950"
    assert found.primary.text == "did you mean `h200`?"
    assert "--device list" in refused("a toaster").help


def test_a_file_of_one_device_and_of_several(tmp_path: Path) -> None:
    one = "{memory_gib: 48, bandwidth_gb_s: 864, tflops: {bf16: 181.05}}"
    file = tmp_path / "mine.yaml"
    file.write_text(f"devices:\n  Mine: {one}\n", encoding="utf-8")
    found = device(str(file))
    assert (found.name, found.memory, found.bandwidth) == ("Mine", 48 * GIB, 864 * 10**9)
    assert found.rates == {"bf16": 181_050 * 10**9}
    assert device(f"{file}:Mine") == found
    file.write_text(f"devices:\n  mine: {one}\n  yours: {one}\n", encoding="utf-8")
    assert device(f"{file}:yours").name == "yours"
    assert refused(str(file)).help == f"name one: `{file}:mine`"
    assert refused(f"{file}:your").primary.text == "did you mean `yours`?"
    assert refused(str(tmp_path / "none.yaml")).message.startswith("cannot read")


def test_this_machine_wants_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CannotAnswer) as caught:
        device("this")
    assert "torch is needed" in caught.value.message


def test_a_listing_names_every_device() -> None:
    said = "\n".join(listing(shipped()).text())
    assert all(each.name in said and each.title in said for each in shipped())
