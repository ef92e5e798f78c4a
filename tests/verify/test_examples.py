import pytest
import torch

from compiler.ir.target import Target
from compiler.verify.decoding import decoding
from compiler.verify.examples import example, longest
from compiler.verify.module import build, call
from compiler.verify.parity import parity
from tests.verify.models import decoder, encoder, made, points


def test_ids_are_rows_of_their_tables() -> None:
    found = made(encoder())
    values = example(found.spec, found.program, 4, 200).values
    assert set(values) == {"ids", "ids_mask", "ids_types"}
    assert set(values["ids"].flatten().tolist()) == set(range(31))
    assert set(values["ids_types"].flatten().tolist()) == {0, 1, 2}


def test_one_row_is_padded_and_the_others_are_not() -> None:
    found = made(encoder())
    mask = example(found.spec, found.program, 3, 9).values["ids_mask"]
    assert mask[:-1].all()
    assert mask[-1].tolist() == [True] * 6 + [False] * 3
    plain = example(found.spec, found.program, 3, 9, padded=False)
    assert plain.values["ids_mask"].all()


def test_a_seed_repeats() -> None:
    found = made(decoder())
    first, again, other = (
        example(found.spec, found.program, 2, 9, seed=seed).values["ids"] for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(("rows", "wish", "given"), [(64, 17, 17), (8, 17, 8)])
def test_lengths_are_cut_to_tables(rows: int, wish: int, given: int) -> None:
    found = made(encoder(positions={"learned": rows}))
    assert longest(found.program, wish) == given
    assert example(found.spec, found.program, 1, wish).values["ids"].shape == (1, given)


def test_a_decoder_is_given_no_more_than_its_context() -> None:
    """Its file for a CPU turns heads by tables that are as long."""
    spec = decoder()
    spec["inputs"]["ids"] = {"tokens": {"max": 6}}
    spec["graph"]["h"]["stack"]["layer"]["attn"]["attention"]["head_dim"] = 16
    found = made(spec)
    assert example(found.spec, found.program, 2, 9).values["ids"].shape == (2, 6)
    assert parity(found, build(found.generated), Target("cpu")).ok
    assert decoding(found, build(found.generated)).ok


def test_the_cache_is_left_out() -> None:
    found = made(decoder())
    assert list(example(found.spec, found.program, 2, 5).values) == ["ids"]


def test_sets_are_numbers() -> None:
    found = made(points())
    (points_,) = example(found.spec, found.program, 2, 5).values.values()
    assert points_.shape[0] == 2
    assert points_.shape[2] == 16
    assert points_.dtype == torch.float32


def test_a_token_to_look_for_is_there() -> None:
    spec = encoder()
    spec["graph"]["mean"] = {"pool": {"eos": {"ids": "ids", "token": 30}}}
    found = made(spec)
    ids = example(found.spec, found.program, 3, 8).values["ids"]
    assert (ids == 30).any(dim=1).all()


@pytest.mark.parametrize(("kernel", "length"), [(7, 7), (8, 14), (40, 56)])
def test_filters_find_a_place(kernel: int, length: int) -> None:
    """Seven positions and as many taps leave one place, eight taps none."""
    conv = {"conv": {"kernel": kernel, "dim": 4, "pad": "valid"}}
    graph = {"tok": {"embed": {"vocab": 5, "dim": 4}, "in": "ids"}, "y": conv}
    model = made({"name": "x", "inputs": {"ids": "tokens"}, "graph": graph})
    found = example(model.spec, model.program, 1, 7)
    assert found.values["ids"].shape == (1, length)
    (y,) = call(build(model.generated), found.values)
    assert y.shape == (1, length - kernel + 1, 4)
