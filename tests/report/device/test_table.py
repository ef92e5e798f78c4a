"""The table of devices: published ridge points, dense rates, and names that are not there."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from archspec.source.diagnostic import Diagnostic, SpecError, exit_status
from compiler.answer import CannotAnswer
from compiler.report.device.device import GIB
from compiler.report.device.section import listing
from compiler.report.device.table import device, shipped

RATES = ("fp32", "tf32", "bf16", "fp8", "int8", "fp4")
SHEETS: dict[str, tuple[Any, ...]] = {
    "a100": (19.5, 156, 312, None, 624, None, 80, 2039, 153, 300),
    "h100": (67, 494.7, 989.4, 1978.9, 1978.9, None, 80, 3350, 295, 450),
    "h100-pcie": (51, 378, 756.5, 1513, 1513, None, 80, 2000, 378, 64),
    "h200": (67, 494.7, 989.4, 1978.9, 1978.9, None, 141, 4800, 206, 450),
    "l4": (30.3, 60, 121, 242, 242, None, 24, 300, 403, 32),
    "b200": (80, 1100, 2250, 4500, 4500, 9000, 180, 8000, 281, 900),
    "gb200": (90, 1250, 2500, 5000, 5000, 10000, 186, 8000, 312, 900),
    "b300": (None, None, 2250, 4500, 153.5, 14000, 270, 7750, 290, 900),
    "mi300x": (163.4, 653.7, 1307.4, 2614.9, 2614.9, None, 192, 5300, 247, 448),
}
"""By data sheets and the tables named in `source`, typed by hand: dense TFLOP/s by precision, GB of
memory, GB/s of bandwidth, FLOPs a byte at the ridge in bf16, GB/s of the links one way. Of two
figures for one thing it has the B200's lower tf32 (1100 to 1125) and the MI300X's upper link (400
to 448)."""
THERE = {"h200": 143_771 / 1024}
"""GiB that nvidia-smi shows, where the sheet's number would be more than there is."""
REACHED = {
    "a100": {"bf16": 271},
    "h100": {"bf16": 794, "fp8": 1403},
    "h200": {"fp8": 1453},
    "b200": {"bf16": 1745, "fp8": 3433},
    "gb200": {"bf16": 1822},
    "mi300x": {"bf16": 668},
}
"""TFLOP/s that products were measured at (ml-engineering's MAMF table)."""
POWER = {
    "a100": 400,
    "h100": 700,
    "h100-pcie": 350,
    "h200": 700,
    "l4": 72,
    "b200": 1000,
    "gb200": 1200,
    "b300": 0,
    "mi300x": 750,
}
"""Watts that the sheets give the module; of the B300 none is known to us."""


def refused(said: str) -> Diagnostic:
    with pytest.raises(SpecError) as caught:
        device(said)
    assert exit_status(caught.value.diagnostics) == 2
    return caught.value.diagnostics[0]


@pytest.mark.parametrize("name", SHEETS)
def test_every_figure_is_that_of_a_sheet(name: str) -> None:
    *rated, memory, bandwidth, ridge, link = SHEETS[name]
    found = device(name)
    rates = {each: round(rate / 1e12, 1) for each, rate in found.rates.items() if each != "fp16"}
    assert rates == {each: rate for each, rate in zip(RATES, rated, strict=True) if rate}
    assert found.memory / GIB == pytest.approx(THERE.get(name, memory), abs=0.01)
    assert (found.bandwidth, found.link) == (bandwidth * 10**9, link * 10**9)
    assert round(found.ridge("bf16")) == ridge
    reached = {each: rate / 1e12 for each, rate in found.achieved.items()}
    assert (reached, found.power) == (REACHED.get(name, {}), POWER[name])


def test_no_device_stands_beside_those_sheets() -> None:
    assert [device(name).name for name in SHEETS] == [each.name for each in shipped()]


def test_every_entry_says_where_its_numbers_are_from() -> None:
    for each in shipped():
        assert each.source
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", each.date)
        assert each.document()["dense"] is True
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


@pytest.mark.parametrize("said", ["8xH100", "8 x h100-sxm", "h100x8"])
def test_several_are_a_device_and_degrees(said: str) -> None:
    assert "`--device h100-sxm --parallel dp=8`" in refused(said).help


def test_several_of_what_is_unknown_are_unknown() -> None:
    assert "--device list" in refused("8xtoaster").help


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
    file.write_text(f"devices:\n  mine: {one}\n  MINE: {one}\n", encoding="utf-8")
    assert [device(f"{file}:{name}").name for name in ("mine", "MINE")] == ["mine", "MINE"]
    assert refused(str(tmp_path / "none.yaml")).message.startswith("cannot read")


def test_this_machine_wants_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CannotAnswer) as caught:
        device("this")
    assert "torch is needed" in caught.value.message


def test_a_listing_names_every_device() -> None:
    said = "\n".join(listing(shipped()).text())
    assert all(each.name in said and each.title in said for each in shipped())
