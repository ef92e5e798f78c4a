"""Places counted over padding masks and over ids, against transformers' own counting."""

from typing import Any

import pytest
import torch
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from compiler.verify.decoding import decoding
from compiler.verify.laws import padding
from compiler.verify.module import build
from tests.backends.torch.live import live
from tests.lower.specs import Tree, decoder, model, over, rejected
from tests.verify.models import made

D = 12
REAL = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 0, 1, 0]]).bool()


def placed(positions: Tree, padded: bool = True, **more: Any) -> Tree:
    table = {"embed": {"vocab": 9, "dim": D, "positions": positions, **more}, "in": "ids"}
    return model({"e": table}, {"ids": {"tokens": {"padded": padded}}})


def test_over_the_mask_as_opt_counts() -> None:
    found = live(placed({"learned": 7, "offset": 2, "from": "mask"}))
    theirs = OPTLearnedPositionalEmbedding(7, D).double()
    theirs.weight.data = found.weights["e.positions.weight"]
    ids = torch.randint(9, REAL.shape)
    (y,) = found.found({"ids": ids, "ids_mask": REAL})
    assert torch.allclose(y, found.weights["e.tokens.weight"][ids] + theirs(REAL.long()))


def test_over_the_mask_without_rows_to_spare() -> None:
    found = live(placed({"learned": 5, "from": "mask"}))
    ids = torch.randint(9, REAL.shape)
    (y,) = found.found({"ids": ids, "ids_mask": REAL})
    for b, row in enumerate(REAL.tolist()):
        for t, real in enumerate(row):
            place = sum(row[:t]) if real else 0
            tables = found.weights["e.tokens.weight"], found.weights["e.positions.weight"]
            assert torch.allclose(y[b, t], tables[0][ids[b, t]] + tables[1][place])


@pytest.mark.parametrize("pad", [0, 1, 3])
def test_over_ids_as_roberta_counts(pad: int) -> None:
    found = live(placed({"learned": 8, "offset": pad + 1, "from": "nonpad"}, padded=False))
    assert found.weights["e.positions.weight"].shape == (8 + pad + 1, D)
    ids = torch.randint(9, (4, 6))
    ids[1, 4:] = ids[2, :2] = ids[3, 3] = pad
    places = RobertaEmbeddings.create_position_ids_from_input_ids(ids, pad)
    (y,) = found.found({"ids": ids})
    tables = found.weights["e.tokens.weight"], found.weights["e.positions.weight"]
    assert torch.allclose(y, tables[0][ids] + tables[1][places])


@pytest.mark.parametrize("how", [{"from": "mask"}, {"from": "nonpad", "offset": 1}])
def test_places_beside_the_vector(how: Tree) -> None:
    form = {"learned": 7, "combine": "concat", "width": 4, **how}
    found = live(placed(form))
    given = found.inputs(3, 6)
    (y,) = found.found(given)
    assert y.shape == (3, 6, D + 4)
    assert torch.equal(y[..., :D], found.weights["e.tokens.weight"][given["ids"]])
    assert found.apart(given) <= 1e-6


def test_a_decoder_counts_on_from_its_cache() -> None:
    spec = decoder()
    spec["graph"]["tok"]["embed"]["positions"] = {"learned": 30, "offset": 2, "from": "mask"}
    compiled = made(spec | {"inputs": {"ids": {"tokens": {"padded": True}}}})
    module = build(compiled.generated)
    assert compiled.program.grown == "ids"
    assert decoding(compiled, module).ok
    assert padding(compiled, module).ok


def test_a_decoder_that_counts_ids_keeps_no_cache() -> None:
    spec = decoder()
    spec["graph"]["tok"]["embed"]["positions"] = {"learned": 30, "offset": 2, "from": "nonpad"}
    assert made(spec).program.grown == ""


def test_vectors_of_padding_are_zero() -> None:
    found = live(placed({"learned": 7}, norm={"layer": 1e-5}, mask_pads=True))
    given = found.inputs(3, 6) | {"ids_mask": torch.rand(3, 6) < 0.5}
    plain = live(placed({"learned": 7}, norm={"layer": 1e-5}))
    (y,) = found.found(given)
    assert torch.allclose(y, plain.found(given)[0] * given["ids_mask"][..., None])
    assert (y[~given["ids_mask"]] == 0).all()


def test_vectors_of_padding_are_zero_with_a_cache() -> None:
    spec = decoder()
    spec["graph"]["tok"]["embed"]["mask_pads"] = True
    compiled = made(spec | {"inputs": {"ids": {"tokens": {"padded": True}}}})
    assert decoding(compiled, build(compiled.generated)).ok


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (placed({"learned": 7, "from": "mask"}, padded=False), "AR0260"),
        (placed({"learned": 7}, padded=False, mask_pads=True), "AR0260"),
        (over(D, {"y": {"positions": {"learned": 7, "offset": 1, "from": "nonpad"}}}), "AR0261"),
        (over(D, {"y": {"positions": {"learned": 7, "from": "mask"}}}), "AR0260"),
        (
            placed({"learned": 7, "from": "mask"})
            | {"inputs": {"ids": {"tokens": {"padded": True, "segments": True}}}},
            "AR0262",
        ),
    ],
)
def test_what_cannot_be_counted(spec: Tree, code: str) -> None:
    assert rejected(spec).code == code
