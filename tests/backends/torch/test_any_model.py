"""Models by chance: a generated module computes what its program says, at once and in steps."""

import itertools
import subprocess
from pathlib import Path
from typing import Any

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import archspec
from compiler.ir.program import Program
from compiler.lower import lower
from tests.backends.torch.live import Live, apart
from tests.backends.torch.random_specs import MODELS, decoders, translators
from tests.backends.torch.ruff_judge import RUFF

BAR = 1e-4
calm = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def compiled(tree: dict[str, Any]) -> Live:
    program = lower(archspec.load(tree))
    assert isinstance(program, Program), program
    return Live(program)


@settings(calm, max_examples=60)
@given(MODELS, st.integers(1, 3), st.integers(3, 6))
def test_a_model_computes_what_its_program_says(tree: dict[str, Any], B: int, T: int) -> None:
    live = compiled(tree)
    assert live.apart(live.inputs(B, T)) <= BAR


@settings(calm, max_examples=40)
@given(st.one_of(decoders(), translators()), st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_a_cache_changes_nothing(tree: dict[str, Any], chunks: list[int]) -> None:
    """However a sequence is cut, decoding with a cache gives what all positions at once give."""
    live = compiled(tree)
    grown = live.plain.grown
    if not grown:
        return
    length = sum(chunks)
    inputs = live.inputs(2, 4) | {
        name: value for name, value in live.inputs(2, length).items() if name.startswith(grown)
    }
    (whole,) = live.expected(inputs)
    state: dict[str, Any] = dict(live.cache(2, length + 2))
    parts, start = [], 0
    for chunk in chunks:
        step = dict(inputs)
        for name in (grown, f"{grown}_types"):
            if name in step:
                step[name] = inputs[name][:, start : start + chunk]
        if f"{grown}_mask" in step:
            step[f"{grown}_mask"] = inputs[f"{grown}_mask"][:, : start + chunk]
        position = {name: start for name in live.plain.main.inputs if is_position(live, name)}
        (found,) = live.found({**step, **state, **position})
        parts.append(found)
        start += chunk
    assert apart(torch.cat(parts, dim=1), whole) <= BAR


def is_position(live: Live, name: str) -> bool:
    kind = live.plain.main.type(live.plain.main.inputs[name])
    return kind.element == "int" and not kind.shape


def test_ruff_has_nothing_to_say(tmp_path: Path) -> None:
    names = itertools.count()

    @settings(calm, max_examples=40)
    @given(MODELS)
    def write(tree: dict[str, Any]) -> None:
        text = compiled(tree).generated.text
        (tmp_path / f"model_{next(names)}.py").write_text(text, encoding="utf-8")

    write()
    for judge in (["format", "--diff"], ["check", "--quiet"]):
        command = [*RUFF, judge[0], "--isolated", "--line-length", "100", *judge[1:], str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
