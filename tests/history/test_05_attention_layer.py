"""Keys and values of a set of another width and length: closed form, and what depends on what."""

from typing import Any

import pytest
import torch

import archspec
from archspec.source.diagnostic import SpecError
from compiler.lower import lower
from tests.history.chapter import normal, of, page, reached, softmax_mixture

PAGE = page("05-attention-layer")
MEMORY, X = normal(2, 9, 96), normal(2, 4, 48, seed=1)
ALL = torch.ones(1, 1, dtype=torch.bool)


def test_the_closed_form() -> None:
    (found,) = PAGE.both(memory=MEMORY, x=X)
    both = MEMORY.double() @ PAGE.weights["y.kv.weight"].T
    k, v = both[..., :64], both[..., 64:]
    q = X.double() @ PAGE.weights["y.q.weight"].T
    assert found.shape == (2, 4, 32)
    assert (found - softmax_mixture(q, k, v, 64**-0.5, ALL)).abs().max() <= 1e-5


def test_every_answer_depends_on_its_own_query_and_on_the_whole_memory() -> None:
    given = {"memory": MEMORY, "x": X}
    own = torch.eye(4, dtype=torch.bool).expand(2, -1, -1)
    assert torch.equal(reached(PAGE.model, given, "x"), own)
    assert reached(PAGE.model, given, "memory").all()


@pytest.mark.parametrize("projections", ["none", "q", "k", "v", "qk", "qv", "kv", "qkv", "qkvo"])
def test_every_subset_of_projections(projections: str) -> None:
    """Absent maps are identities: the closed form with the maps that are there."""
    one = of(
        {
            "name": "subset",
            "inputs": {"memory": {"vectors": ["N", 16]}, "x": {"vectors": ["M", 16]}},
            "graph": {
                "y": {
                    "attention": {"heads": 1, "source": "memory", "projections": projections},
                    "in": "x",
                }
            },
        }
    )
    memory, x = normal(2, 5, 16), normal(2, 3, 16, seed=1)
    maps = {name: torch.eye(16).double() for name in "qkvo"}
    for name, weight in one.weights.items():
        joined = name.removesuffix(".weight").rpartition(".")[2]
        maps |= dict(zip(joined, weight.chunk(len(joined)), strict=True))
    q, k, v = (s.double() @ maps[n].T for s, n in ((x, "q"), (memory, "k"), (memory, "v")))
    (found,) = one.both(memory=memory, x=x)
    wanted = softmax_mixture(q, k, v, 0.25, ALL) @ maps["o"].T
    assert (found - wanted).abs().max() <= 1e-5


def across(source: str, **options: object) -> dict[str, Any]:
    """One attention of vectors 16 wide over a memory 24 wide."""
    attention = {"heads": 1, "source": source, **options}
    return {
        "name": "across",
        "inputs": {"memory": {"vectors": ["N", 24]}, "x": {"vectors": ["M", 16]}},
        "graph": {"y": {"attention": attention, "in": "x"}},
    }


def test_a_source_of_another_width_must_be_projected() -> None:
    found = lower(archspec.load(across("memory", projections="q")))
    assert isinstance(found, tuple)
    assert [(d.code, d.primary.text) for d in found] == [("AR0301", "they are 24 wide")]
    assert not isinstance(lower(archspec.load(across("memory"))), tuple)


def test_a_source_that_does_not_exist() -> None:
    with pytest.raises(SpecError, match="AR0401"):
        archspec.load(across("memry"))
