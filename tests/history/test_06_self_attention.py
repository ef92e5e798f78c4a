"""Self-attention: one matrix for queries, keys and values; a set without an order."""

import torch

from tests.history.chapter import normal, page, softmax_mixture

PAGE = page("06-self-attention", "d_model=32")
X = normal(2, 7, 32)


def test_queries_keys_and_values_come_of_one_product() -> None:
    assert list(PAGE.weights) == ["y.qkv.weight"]
    assert PAGE.weights["y.qkv.weight"].shape == (3 * 32, 32)
    q, k, v = (X.double() @ PAGE.weights["y.qkv.weight"].T).chunk(3, dim=-1)
    (found,) = PAGE.both(x=X)
    seen = torch.ones(1, 1, dtype=torch.bool)
    assert (found - softmax_mixture(q, k, v, 32**-0.5, seen)).abs().max() <= 1e-5


def test_permuted_vectors_give_permuted_answers() -> None:
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    (found,), (moved,) = PAGE.both(x=X), PAGE.both(x=X[:, order])
    assert (found[:, order] - moved).abs().max() <= 1e-6
    assert (found - moved).abs().max() > 0.1


def test_verify_proves_the_law_where_it_holds_and_its_breach_with_positions() -> None:
    set_law, order_law = "order of a set does not matter", "with positions, order matters"
    for name in ("04-dot-product-attention", "05-attention-layer", "06-self-attention"):
        status = page(name).status()
        assert (status[set_law], status[order_law]) == (True, None)
        assert all(ok is not False for ok in status.values())
    for kind in ("sinusoid", "concat", "learned", "rotary"):
        status = page(f"07-positions-{kind}").status()
        assert (status[set_law], status[order_law]) == (None, True)
        assert all(ok is not False for ok in status.values())
