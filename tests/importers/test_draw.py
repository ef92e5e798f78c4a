import math
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.importers.draw import draw, drawn, drawn_piece
from compiler.ir.init import Init
from tests.importers.samples import Array

RULES = [Init("normal", 0.02), Init("uniform", 0.5), Init("xavier_uniform", 30, 20)]


def philox_4x64_10(counter: int, key: tuple[int, int]) -> list[int]:
    """Four words by the definition of Salmon et al. 2011, table 2, in plain integers."""
    mask = (1 << 64) - 1
    x = [counter >> (64 * n) & mask for n in range(4)]
    k = list(key)
    for _ in range(10):
        first, second = 0xD2E7470EE14C6C93 * x[0], 0xCA5A826395121157 * x[2]
        x = [second >> 64 ^ x[1] ^ k[0], second & mask, first >> 64 ^ x[3] ^ k[1], first & mask]
        k = [(k[0] + 0x9E3779B97F4A7C15) & mask, (k[1] + 0xBB67AE8584CAA73B) & mask]
    return x


def words_of(name: str, seed: int, count: int) -> list[int]:
    """The 32-bit words of a parameter's stream, computed without NumPy."""
    digest = sha256(f"{seed}\0{name}".encode()).digest()
    key = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little")
    words = [w for n in range(1, count // 8 + 2) for w in philox_4x64_10(n, key)]
    return [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)][:count]


def test_words_are_philox_by_its_definition() -> None:
    words = words_of("h.0.attn.q.weight", 7, 1000)
    wanted = [2.0 * ((word >> 8) + 0.5) / (1 << 24) - 1.0 for word in words]
    ours = draw("h.0.attn.q.weight", (1000,), Init("uniform", 1.0), seed=7)
    np.testing.assert_array_equal(ours, np.array(wanted, np.float32))


def test_normal_numbers_are_the_quantiles_of_the_words() -> None:
    count = 200_000
    ours = draw("a", (count,), Init("normal", 1.0)).astype(float)
    wanted = [NormalDist().inv_cdf((word + 0.5) / (1 << 32)) for word in words_of("a", 0, count)]
    error = np.abs(ours - wanted)
    assert error[np.abs(wanted) < 3.5].max() < 1e-3
    assert error[np.abs(wanted) > 4.18].max() < 1e-6
    assert error.max() < 0.03


def test_normal_numbers_pass_kolmogorov_and_moments() -> None:
    sample = np.sort(draw("b", (1_000_000,), Init("normal", 3.0)).astype(float)) / 3.0
    every = np.arange(0, sample.size, 500)
    expected = [NormalDist().cdf(value) for value in sample[every]]
    distance = np.abs(np.array(expected) - every / sample.size).max()
    assert distance * math.sqrt(sample.size) < 1.63
    assert abs(sample.mean()) < 4e-3
    assert abs((sample**2).mean() - 1) < 6e-3
    assert abs((sample**4).mean() - 3) < 4e-2


@pytest.mark.parametrize("init", RULES)
@settings(max_examples=30, deadline=None)
@given(start=st.integers(0, 70_000), count=st.integers(0, 40_000))
def test_any_piece_is_a_piece_of_the_whole(init: Init, start: int, count: int) -> None:
    whole = draw("a", (110_000,), init, seed=3)
    piece = drawn_piece("a", init, start, count, seed=3)
    np.testing.assert_array_equal(piece, whole[start : start + count])


def test_streamed_pieces_are_the_tensor() -> None:
    source = drawn({"a": (300, 70)}, {"a": RULES[0]}, seed=1)["a"]
    pieces: list[Array] = list(source.pieces(1001))
    np.testing.assert_array_equal(np.concatenate(pieces).reshape(300, 70), source.read())


def test_other_names_and_seeds_give_other_numbers() -> None:
    drawings = [draw(name, (50,), RULES[0], seed) for name in ("a", "b") for seed in (0, 1)]
    assert len({drawing.tobytes() for drawing in drawings}) == 4


def test_bounds() -> None:
    xavier = draw("a", (100_000,), Init("xavier_uniform", 30, 20))
    bound = math.sqrt(6 / 50)
    assert bound * 0.9999 < np.abs(xavier).max() <= bound
    assert abs(xavier.mean()) < bound * 0.01
    assert draw("a", (9,), Init("uniform", 0.0)).tolist() == [0.0] * 9


@pytest.mark.parametrize(
    ("init", "value"), [(Init("zeros"), 0.0), (Init("ones"), 1.0), (Init("constant", -2.5), -2.5)]
)
def test_constants(init: Init, value: float) -> None:
    drawing = draw("a", (2, 3), init)
    assert drawing.dtype == np.float32
    assert drawing.tolist() == [[value] * 3] * 2


PINNED = "2cad4253d64625a00d53bdfc9e28560e5c0fdc21f4a400240ec20809e5510d17"
"""SHA-256 of the drawing below; if it changes, so does every build with drawn weights."""

DRAWING = """
import sys
from hashlib import sha256
from pathlib import Path
from compiler.importers.draw import drawn
from compiler.importers.write import write_safetensors
from compiler.ir.init import Init

shapes = {"a": (513, 129), "b": (70_001,), "c": (3,), "d": ()}
rules = Init("normal", 0.02), Init("uniform", 0.5), Init("ones"), Init("constant", 0.1)
path = Path(sys.argv[1])
write_safetensors(path, drawn(shapes, dict(zip(shapes, rules)), seed=2024))
print(sha256(path.read_bytes()).hexdigest())
"""


@pytest.mark.parametrize("without", ["", "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"])
def test_machines_with_other_vector_units_draw_the_same_bytes(tmp_path: Path, without: str) -> None:
    command = [sys.executable, "-c", DRAWING, str(tmp_path / "m.safetensors")]
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": without, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == PINNED
