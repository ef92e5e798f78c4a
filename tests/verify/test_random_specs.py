"""Whatever a spec combines, what is generated from it agrees with itself."""

import subprocess
import sys
from pathlib import Path

import pytest

import archspec
from archspec.model.spec import Spec
from compiler.verify import Check, verify
from compiler.verify.compiled import Compiled, compiled
from tests.verify.random_decoders import dense
from tests.verify.random_layers import Tree
from tests.verify.random_specs import by_chance

SEEDS = (*range(40), 83, 130, 131, 138, 151, 176)
UNMOVED = "with positions, order matters"
"""A law of models worth training: chance also makes some whose positions reach no output."""

WORDS = (
    "patches conv attention mlp norm dropout pool linear unembed concat mean_of positions embed "
    "cycle at share parallel use set with times skip_scale layerscale kv_heads value_dim rope tie "
    "moe shared token_gate correction groups weigh clamp"
)


MEETING = range(24)
"""Seeds of small specs whose words meet."""

MET = (
    "alibi t5 disentangled prefix chunk window latent sink gate softcap clip_qkv temperature "
    "qk_norm after_rope score dynamic longrope llama3 yarn proportional linear cycle mask_pads "
    "from round_scale project correction groups capacity jitter weigh renorm_eps token_gate "
    "attention eos segments types"
)


def failing(source: Tree) -> list[Check]:
    spec = archspec.read(source)
    assert isinstance(spec, Spec), spec
    checks = verify(spec, source=source).checks
    return [check for check in checks if check.ok is False and check.name != UNMOVED]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_generated_agrees(seed: int) -> None:
    assert failing(by_chance(seed)) == []


@pytest.mark.parametrize("seed", MEETING)
def test_words_that_meet_agree(seed: int) -> None:
    assert failing(dense(seed)) == []


def test_what_is_generated_is_clean(tmp_path: Path) -> None:
    for seed in SEEDS:
        made = compiled(archspec.load(by_chance(seed)))
        assert isinstance(made, Compiled)
        (tmp_path / f"m{seed}.py").write_text(made.generated.text, encoding="utf-8")
    for judge in (["check"], ["format", "--check"]):
        line = [sys.executable, "-m", "ruff", *judge, "--isolated", "--line-length", "100", "."]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_generator_reaches_the_grammar() -> None:
    said = " ".join(str(by_chance(seed)) for seed in range(400))
    assert [word for word in WORDS.split() if f"'{word}'" not in said] == []


def test_small_specs_reach_the_words_of_attention() -> None:
    said = " ".join(str(dense(seed)) for seed in range(300))
    assert [word for word in MET.split() if f"'{word}'" not in said] == []


def test_the_generator_repeats_itself() -> None:
    assert [dense(seed) for seed in range(20)] == [dense(seed) for seed in range(20)]
    assert [by_chance(seed) for seed in range(20)] == [by_chance(seed) for seed in range(20)]
