"""Assumptions: where they come from, and how they are changed."""

import pytest

from archspec.source.diagnostic import SpecError, exit_status
from compiler.report.device.assumed import assumed
from compiler.report.device.device import GIB
from compiler.report.device.table import device
from tests.report.device.places import plain


def test_the_best_measured_products_where_they_are_known() -> None:
    """ml-engineering's table: A100 87 %, H100 80 %, B200 78 %, GB200 73 %, MI300X 51 %."""
    shares = {"a100": 0.87, "h100": 0.80, "b200": 0.78, "gb200": 0.73, "mi300x": 0.51}
    for name, share in shares.items():
        assert assumed(device(name), "bf16").efficiency == pytest.approx(share, abs=0.005)
    assert assumed(device("h100"), "fp32").efficiency == 0.8


def test_what_is_measured_is_reached() -> None:
    found = assumed(plain(measured=True), "bf16")
    assert (found.efficiency, found.bandwidth) == (1.0, 1.0)


def test_a_text_changes_them() -> None:
    found = assumed(plain(), "bf16", "efficiency=75%, bandwidth=1,reserve=1.5GiB,overhead=0us")
    assert (found.efficiency, found.bandwidth) == (0.75, 1.0)
    assert (found.reserve, found.overhead) == (3 * GIB // 2, 0.0)
    assert [why for _, why in found.why] == ["as asked"] * 4
    one = assumed(plain(), "bf16", "overhead=2.5us")
    assert one.overhead == 2.5e-6
    assert dict(one.why)["reserve"] != "as asked"
    assert assumed(plain(), "bf16", "reserve=2GB").reserve == 2 * 10**9
    assert assumed(plain(), "bf16", "reserve=0").reserve == 0


@pytest.mark.parametrize(
    "said",
    [
        "efficiency=0",
        "efficiency=1.01",
        "efficiency=x",
        "efficiency",
        "efficiency=0.8GiB",
        "bandwidth=101%",
        "reserve=2us",
        "reserve=-1",
        "overhead=5",
        "overhead=5GiB",
        "speed=3",
        "=3",
        "efficiency=0.8,efficiency=0.5",
    ],
)
def test_what_makes_no_sense_is_refused(said: str) -> None:
    with pytest.raises(SpecError) as caught:
        assumed(plain(), "bf16", said)
    (found,) = caught.value.diagnostics
    assert found.code == "AR0953"
    assert found.primary.line == said
    assert exit_status((found,)) == 2


def test_sentences_say_every_assumption_with_its_reason() -> None:
    said = assumed(device("h100"), "bf16", "reserve=1GiB").sentences()
    assert len(said) == 4
    assert "0.803 of the rate" in said[0]
    assert "as asked" in said[2]
