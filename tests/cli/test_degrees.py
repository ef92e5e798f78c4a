"""`archc cost --parallel`: what is typed, what is answered, what is refused."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.degrees import parse_degrees
from tests.cli.conftest import Archc

MIXTRAL = str(Path(__file__).parents[2] / "specs" / "decoder" / "mixtral-8x7b.yaml")


def test_words_and_numbers() -> None:
    found = asdict(parse_degrees("tp=8, PP=4,zero=0,microbatches=32"))
    assert {name: n for name, n in found.items() if n > 1} == {"tp": 8, "pp": 4, "microbatches": 32}
    assert str(parse_degrees("ep=8,tp=2")) == "tp=2,ep=8"
    assert parse_degrees("ep=8, tp=2,") == parse_degrees("ep=8,tp=2")


@pytest.mark.parametrize(
    ("text", "message", "help_"),
    [
        ("tpp=2", "no way of parallelism is called `tpp`", "did you mean `tp`?"),
        (
            "microbatch=2",
            "no way of parallelism is called `microbatch`",
            "did you mean `microbatches`?",
        ),
        ("fsdp=8", "no way of parallelism is called `fsdp`", "`dp=8,zero=3`"),
        ("ddp=8", "no way of parallelism is called `ddp`", "replicas are `dp`"),
        ("tp", "`tp` is no degree of parallelism", "write degrees as"),
        ("tp=-1", "`tp=-1` is no degree of parallelism", "write degrees as"),
        ("tp=2,tp=4", "`tp` is given twice", "write degrees as"),
        ("dp=0", "`dp` must lie between 1 and", "replicas"),
        ("zero=4", "`zero` must lie between 0 and 3", "gradients too"),
    ],
)
def test_what_is_no_degree(text: str, message: str, help_: str) -> None:
    with pytest.raises(CannotAnswer) as refused:
        parse_degrees(text)
    assert refused.value.message.startswith(message)
    assert help_ in refused.value.help


def test_ranks_come_behind_the_costs(archc: Archc) -> None:
    line = ("cost", MIXTRAL, "--parallel", "tp=8,pp=4,dp=16,zero=1,ep=8,cp=2,microbatches=32")
    text, markdown = archc(*line), archc(*line, "--format", "markdown")
    assert (text.code, markdown.code) == (0, 0)
    assert "\nacross 1\u202f024 devices: tp=8,pp=4," in text.out
    assert "\n## Across 1\u202f024 devices\n" in markdown.out
    found = json.loads(archc(*line, "--json").out)
    assert (found["kind"], found["parallel"]["devices"]) == ("cost", 1024)
    assert len(found["parallel"]["stages"]) == 4
    assert "parallel" not in json.loads(archc("cost", MIXTRAL, "--json").out)


@pytest.mark.parametrize(("zero", "fits"), [(0, False), (3, True)])
def test_a_device_has_room_for_its_rank_or_has_not(zero: int, fits: bool, archc: Archc) -> None:
    """Mixtral's 46.7 B weights, gradients and states, whole or an eighth of them, in 76 GiB."""
    line = ("cost", MIXTRAL, "--at", "T=2048", "--recompute", "full", "--device", "h100")
    given = (*line, "--parallel", f"dp=64,zero={zero}")
    (found,) = json.loads(archc(*given, "--json").out)["parallel"]["stages"]
    needs = sum(found[name] for name in ("training_states_bytes", "saved_bytes", "gathered_bytes"))
    assert (needs <= 76 * 2**30) == fits
    left = f"fits, with {(76 * 2**30 - needs) / 2**30:.1f} GiB left for what comes and goes"
    for form in ("text", "markdown"):
        words = re.sub(r"[*(\s]+", " ", archc(*given, "--format", form).out)
        assert f" room 76.0 GiB {left if fits else 'does not fit'}" in words
    assert "\nroom " not in archc("cost", MIXTRAL, "--parallel", "dp=64,zero=3").out


def test_a_degree_that_does_not_fit_is_no_answer(archc: Archc) -> None:
    said = archc("cost", MIXTRAL, "--parallel", "tp=16")
    assert (said.code, said.out) == (2, "")
    assert "error[AR0955]: 16 ranks cannot share 8 key/value heads evenly" in said.err
    assert "mixtral-8x7b.yaml:25:" in said.err
    said = archc("cost", MIXTRAL, "--parallel", "tp=16", "--json")
    assert json.loads(said.out)["diagnostics"][0]["code"] == "AR0955"
