"""Several caches in one decoder: what each layer keeps has a name of its own, and the same cuts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from compiler.backends.onnx.caches import caches, earliest
from compiler.backends.onnx.decoder import decoder_of
from compiler.backends.onnx.past import Past
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.verify.module import build, call
from compiler.verify.parity import onnx_session
from tests.verify.models import decoder, made

PROVIDERS = ("portable", "cpu")


def looking(**more: Any) -> dict[str, Any]:
    return {"attention": {"heads": 2, "head_dim": 8, "mask": "causal", **more}}


def several(nodes: dict[str, Any], **stack: Any) -> dict[str, Any]:
    """A decoder with more nodes behind its stack, or with another stack."""
    spec = decoder()
    logits = spec["graph"].pop("logits")
    spec["graph"]["h"]["stack"] |= {"layer": {"a": looking()}, **stack}
    spec["graph"] |= {**nodes, "logits": logits}
    return spec


LATENT = {"latent": {"kv_rank": 4, "nope_dim": 4, "rope_dim": 2, "v_dim": 4}}
CASES = {
    "two stacks": (several({"more": {"stack": {"repeat": 2, "layer": {"a": looking()}}}}), 4),
    "two in a layer": (several({}, layer={"a": looking(), "b": looking()}), 4),
    "no stack": (several({"alone": looking()}), 3),
    "a cycle of two widths": (several({}, cycle=[{}, {"a": looking(kv_heads=1)}]), 2),
    "a first layer without": (
        several({}, layer={"m": {"mlp": {"hidden": 8, "act": "silu"}}}, at={1: {"a": looking()}}),
        1,
    ),
    "rows beside keys": (
        several(
            {}, layer={"r": {"attention": {"heads": 2, "mask": "causal", **LATENT}}, "a": looking()}
        ),
        4,
    ),
    "a bias that reads the keys": (
        several({}, layer={"a": looking(position_bias={"disentangled": {"max_distance": 16}})}),
        2,
    ),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", CASES)
def test_pieces_give_what_all_at_once_gives(name: str, provider: Any, tmp_path: Path) -> None:
    spec, layers = CASES[name]
    found = made(spec)
    model = build(found.generated)
    session = onnx_session(found.files, model, tmp_path, Target(provider))
    assert len({past.rpartition(".")[0] for past in session.past}) == layers
    ids = np.random.default_rng(0).integers(0, 31, (1, 7))
    with torch.no_grad():
        (wanted,) = call(model, {"ids": torch.from_numpy(ids)})
    past, start, pieces = None, 0, []
    for end in (3, 4, 7):
        given = {"ids": ids[:, start:end], "ids_mask": np.ones((1, end), bool)}
        known = {word: value for word, value in given.items() if word in session.inputs}
        outputs, past = session.step(known, past)
        pieces.append(outputs["logits"])
        start = end
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), wanted.numpy(), rtol=0, atol=1e-5)


def test_layers_are_numbered_one_stack_behind_the_other() -> None:
    spec, _ = CASES["two stacks"]
    found = made(spec).whole
    known = caches(found)
    assert [past.layers for past in known.values()] == ["0", "2"]
    assert earliest(found, known) == Past("0")


def test_layers_of_two_widths_keep_the_numbers_of_their_stack() -> None:
    spec, _ = CASES["a cycle of two widths"]
    listing = unrolled(made(spec).whole)
    assert list(listing.past)[::2] == ["past_key_values.0.key", "past_key_values.1.key"]


def test_the_first_cache_may_be_that_of_a_later_layer() -> None:
    spec, _ = CASES["a first layer without"]
    found = made(spec).whole
    assert earliest(found, caches(found)) == Past("1")


@pytest.mark.parametrize(("name", "layers"), [("two stacks", 4), ("a first layer without", None)])
def test_a_program_that_counts_layers_needs_them_all(name: str, layers: int | None) -> None:
    found = made(CASES[name][0]).whole
    seen = decoder_of(found, unrolled(found))
    assert (seen and seen.layers) == layers
