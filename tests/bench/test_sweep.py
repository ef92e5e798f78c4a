"""How long a thousand variants of one spec take through the Python API, in one process.

Timed with `--benchmark-enable` alone; otherwise a few variants are counted for their answers.
"""

from collections.abc import Callable
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

import archspec
import compiler

SPEC = Path(__file__).parents[2] / "specs" / "decoder" / "gpt2.yaml"
VARIANTS = 1000
BAR = 10.0


def sweep(count: int) -> list[int]:
    """Parameters of `count` variants of GPT-2 by width and depth."""
    return [parameters(64 * (2 + index % 40), 1 + index // 40) for index in range(count)]


def parameters(width: int, layers: int) -> int:
    spec = archspec.load(SPEC, set={"d_model": width, "n_layers": layers, "n_heads": width // 64})
    return compiler.compile(spec).cost(B=1, T=512).totals["parameters"]


def by_hand(width: int, layers: int) -> int:
    """Brown et al. 2020: L(12d² + 13d) + (V + P)d + 2d."""
    return layers * (12 * width**2 + 13 * width) + (50257 + 1024) * width + 2 * width


def test_a_thousand_variants(benchmark: BenchmarkFixture) -> None:
    count = VARIANTS if benchmark.enabled else 50
    run: Callable[..., list[int]] = benchmark.pedantic
    found = run(sweep, (count,), rounds=1)
    wanted = [by_hand(64 * (2 + index % 40), 1 + index // 40) for index in range(count)]
    assert found == wanted
    if benchmark.stats is not None:
        assert benchmark.stats.stats.median < BAR
