"""Blocks of integers, against numbers worked out here from what the runtime documents."""

import numpy as np
import numpy.typing as npt
import pytest

from compiler.backends.onnx.rounding import Codes, rounded, rounded_columns
from compiler.ir.integers import ROUNDINGS, Integers
from tests.backends.onnx.built import Array

WIDTH, BLOCK = 200, 32
ROWS = np.random.default_rng(3).standard_t(5, (9, WIDTH)).astype("f4")


def unpacked(codes: Array, bits: int) -> npt.NDArray[np.float64]:
    """Codes of bytes, the first of a pair in the low half."""
    if bits == 8:
        return codes.astype(np.float64)
    pairs = np.stack([codes & 15, codes >> 4], axis=-1)
    return pairs.reshape(*codes.shape[:-1], -1).astype(np.float64)


def numbers_of(made: Codes, integers: Integers) -> npt.NDArray[np.float64]:
    """What the codes stand for."""
    codes = unpacked(made.codes, integers.bits)
    middle = np.full(made.scales.shape, 2.0 ** (integers.bits - 1))
    blocks = made.scales.shape[1]
    zeros = middle if made.zeros is None else unpacked(made.zeros, integers.bits)[:, :blocks]
    found = (codes - zeros[..., None]) * made.scales[..., None].astype(np.float64)
    return found.reshape(len(codes), -1)[:, :WIDTH]


def error(rounding: str, bits: int = 4) -> float:
    integers = Integers(bits, BLOCK, rounding)  # type: ignore[arg-type]
    return float(np.sum((numbers_of(rounded(ROWS, integers), integers) - ROWS) ** 2))


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("bits", [4, 8])
def test_no_number_is_further_off_than_a_step(bits: int, rounding: str) -> None:
    integers = Integers(bits, BLOCK, rounding)  # type: ignore[arg-type]
    made = rounded(ROWS, integers)
    found = numbers_of(made, integers)
    steps = np.repeat(np.abs(made.scales), BLOCK, axis=1)[:, :WIDTH]
    clipped = 1 if rounding == "symmetric" else 2 ** (bits - 1) * 0.25 + 1
    assert (np.abs(found - ROWS) <= clipped * steps).all()
    assert made.codes.dtype == np.uint8
    assert made.codes.shape == (9, -(-WIDTH // BLOCK), BLOCK * bits // 8)
    assert (made.zeros is not None) == (rounding == "zero-point")


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_loss_is_what_the_codes_lose(rounding: str) -> None:
    integers = Integers(4, BLOCK, rounding)  # type: ignore[arg-type]
    made = rounded(ROWS, integers)
    assert made.lost == pytest.approx(error(rounding), rel=1e-4)
    assert made.whole == pytest.approx(float(np.sum(ROWS.astype(np.float64) ** 2)), rel=1e-5)


def test_fitting_and_a_zero_point_each_lose_less_than_plain_rounding() -> None:
    assert error("fitted") < error("symmetric")
    assert error("zero-point") < min(error("symmetric"), spread())


def spread() -> float:
    """What is lost where codes 0 to 15 lie evenly between the ends of each block."""
    blocks = np.pad(ROWS.astype(np.float64), ((0, 0), (0, -WIDTH % BLOCK))).reshape(-1, BLOCK)
    low = np.minimum(blocks.min(axis=1, keepdims=True), 0)
    step = (np.maximum(blocks.max(axis=1, keepdims=True), 0) - low) / 15
    zero = np.rint(-low / step)
    found = (np.clip(np.rint(blocks / step) + zero, 0, 15) - zero) * step
    return float(np.sum((found - blocks) ** 2))


def test_a_block_of_equal_numbers_and_one_of_zeros_are_exact() -> None:
    rows = np.concatenate([np.full((1, 32), -2.5), np.zeros((1, 32)), np.full((1, 32), 7)])
    for rounding in ROUNDINGS:
        integers = Integers(4, 32, rounding)  # type: ignore[arg-type]
        made = rounded(rows.astype("f4"), integers)
        assert np.isfinite(made.scales).all()
        assert numbers_of(made, integers)[:, :32] == pytest.approx(rows, abs=1e-6)


def test_rows_are_rounded_alike_in_any_company() -> None:
    integers = Integers(4, BLOCK)
    whole = rounded(ROWS, integers)
    alone = rounded(ROWS[4:5], integers)
    assert np.array_equal(whole.codes[4:5], alone.codes)
    assert np.array_equal(whole.scales[4:5], alone.scales)


def test_whole_columns_have_a_scale_each() -> None:
    made = rounded_columns(ROWS)
    found = made.codes.astype(np.float64) * made.scales[:, None]
    assert made.codes.dtype == np.int8 and made.codes.min() >= -127
    assert np.abs(found - ROWS).max() <= made.scales.max() * 0.5001
    assert made.lost == pytest.approx(float(np.sum((found - ROWS) ** 2)), rel=1e-3)


def test_neighbours_of_a_column_never_overflow_16_bits() -> None:
    """Not even where all inputs are the largest, 255: what processors without VNNI add up first."""
    rows = np.concatenate([ROWS, np.ones((1, WIDTH), "f4"), np.eye(1, WIDTH, dtype="f4")])
    codes = rounded_columns(rows).codes.astype(np.int64)
    sums = np.abs(255 * (codes[:, 0::2] + codes[:, 1::2]))
    assert sums.max() < 2**15
    assert codes[-1].max() == 127


def test_a_column_of_zeros_stays_one() -> None:
    made = rounded_columns(np.zeros((2, 8), "f4"))
    assert not made.codes.any() and np.isfinite(made.scales).all()
