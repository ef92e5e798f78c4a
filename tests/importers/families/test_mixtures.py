"""The files of mixtures of experts: every tensor in its place, there and back."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import archspec
from compiler.importers.families import FAMILIES
from compiler.importers.imported import Imported, import_config
from compiler.importers.names import names_of
from compiler.importers.rules import Rules
from compiler.ir.size import value
from compiler.verify.compiled import Compiled, compiled
from tests.families.cases_moe import CASES
from tests.importers.published import family_rules, goes_back, read_back

BY_NAME = {case.name: case for case in CASES}


def saved(name: str, folder: Path) -> tuple[Rules, dict[str, tuple[int, ...]]]:
    """Published files in a folder; the rules that read them, and the shapes they give."""
    BY_NAME[name].saved(BY_NAME[name].theirs(), folder)
    found = import_config(folder)
    assert isinstance(found, Imported), found
    spec = archspec.load(found.spec)
    made = compiled(spec)
    assert isinstance(made, Compiled), made
    sizes = made.program.key.sizes
    shapes = {
        parameter: tuple(value(size, sizes) for size in known.shape)
        for parameter, known in made.program.parameters().items()
    }
    return family_rules(FAMILIES[found.family].rules, names_of(spec)), shapes


@pytest.mark.parametrize(
    "name", ["qwen2_moe-sparse", "qwen3_moe-dense-first", "olmoe", "gpt_oss", "llama4-interleaved"]
)
def test_the_files_go_there_and_back(name: str, tmp_path: Path) -> None:
    rules, shapes = saved(name, tmp_path)
    goes_back(tmp_path, rules, shapes, set())


def test_columns_of_gpt_oss_are_gate_and_up_in_turn(tmp_path: Path) -> None:
    rules, shapes = saved("gpt_oss", tmp_path)
    ours, file = read_back(tmp_path, rules, shapes), load_file(tmp_path / "model.safetensors")
    both = file["model.layers.1.mlp.experts.gate_up_proj"]
    biases = file["model.layers.1.mlp.experts.gate_up_proj_bias"]
    for j, (matrix, bias) in enumerate(zip(both, biases, strict=True)):
        for start, part in enumerate(("gate", "up")):
            expert = f"h.1.mlp.experts.{j}.{part}"
            np.testing.assert_array_equal(ours[f"{expert}.weight"], matrix[:, start::2].T)
            np.testing.assert_array_equal(ours[f"{expert}.bias"], bias[start::2])
