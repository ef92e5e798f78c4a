"""Latent attention: names, costs while a sequence begins and while it goes on, what is kept."""

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from compiler.passes.cost import cost
from compiler.passes.metrics import METRICS, exact
from compiler.passes.setting import Setting
from compiler.verify.decoding import decoding
from compiler.verify.module import build
from tests.verify.models import decoder, made

LATENT = {"kv_rank": 20, "nope_dim": 12, "rope_dim": 8, "v_dim": 10}
HEADS, LAYERS, WIDTH, RANK = 4, 2, 16, 24


def latent(**more: Any) -> dict[str, Any]:
    spec: Any = decoder()
    sizes = {name: more.pop(name) for name in ("q_rank",) if name in more}
    spec["graph"]["h"]["stack"]["layer"]["attn"]["attention"] = {
        "heads": HEADS,
        "mask": "causal",
        "latent": LATENT | sizes,
        "rope": {"pairs": "adjacent"},
        **more,
    }
    found: dict[str, Any] = spec
    return found


def count(spec: dict[str, Any], name: str, **at: int) -> int:
    costs = cost(made(spec).program)
    return exact(costs, METRICS[name].formula(costs, Setting("fp32")), {"B": 1, **at})


@pytest.mark.parametrize("rank", [None, RANK])
def test_parameters_are_those_of_the_paper(rank: int | None) -> None:
    spec = latent() if rank is None else latent(q_rank=rank)
    found = made(spec).program.parameters()
    own = {n.removeprefix("h.0.attn."): p for n, p in found.items() if n.startswith("h.0.attn.")}
    head = LATENT["nope_dim"] + LATENT["rope_dim"]
    maps = HEADS * (LATENT["nope_dim"] + LATENT["v_dim"])
    wanted = {
        "kv_a.weight": (LATENT["kv_rank"] + LATENT["rope_dim"]) * WIDTH,
        "kv_norm.weight": LATENT["kv_rank"],
        "kv_b.weight": maps * LATENT["kv_rank"],
        "o.weight": HEADS * LATENT["v_dim"] * WIDTH,
        "norm.weight": WIDTH,
    }
    if rank is None:
        wanted["q.weight"] = HEADS * head * WIDTH
    else:
        wanted |= {"q_a.weight": rank * WIDTH, "q_norm.weight": rank}
        wanted["q_b.weight"] = HEADS * head * rank
    sizes = made(spec).program.key.sizes
    assert {name: exact_count(p.shape, sizes) for name, p in own.items()} == wanted


def exact_count(shape: tuple[Any, ...], sizes: dict[str, int]) -> int:
    from compiler.ir.size import product, value

    return value(product(shape), sizes)


def test_a_decoder_keeps_one_row_of_a_position_for_all_heads() -> None:
    kept = LATENT["kv_rank"] + LATENT["rope_dim"]
    assert count(latent(), "kv_bytes_per_token", T=1, S=1) == 4 * LAYERS * kept


@pytest.mark.parametrize("more", [{}, {"q_rank": RANK}, {"window": 5}])
def test_decoding_gives_what_the_whole_sequence_gives(more: dict[str, Any]) -> None:
    found = made(latent(**more))
    check = decoding(found, build(found.generated))
    assert check.ok
    assert check.measured is not None


@pytest.mark.parametrize(("new", "seen"), [(6, 6), (1, 9), (3, 12)])
def test_matrix_products_are_what_torch_counts(new: int, seen: int) -> None:
    """All at once, a step of decoding, a chunk of a prompt; on the meta device, where no kernel
    hides its products."""
    spec = latent(q_rank=RANK)
    model = build(made(spec).generated, device="meta")
    ids = torch.zeros(2, new, dtype=torch.long, device="meta")
    width = LATENT["kv_rank"] + LATENT["rope_dim"]
    kv = torch.zeros(LAYERS, 2, 16, width, device="meta")
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(ids) if new == seen else model(ids, kv, seen - new)
    assert count(spec, "matmul_flops", B=2, T=new, S=seen) == counter.get_total_flops()


@pytest.mark.parametrize("init", [{"normal": 0.02}, "xavier"])
def test_its_maps_are_drawn_as_the_spec_says(init: Any) -> None:
    spec = latent()
    spec["defaults"]["init"] = init
    space: dict[str, Any] = {}
    exec(made(spec).generated.text, space)  # what `build` draws is not the spec's
    weight = space[made(spec).generated.name]().get_parameter("h.0.attn.kv_b.weight")
    uniform = (2 / sum(weight.shape)) ** 0.5
    wanted = uniform if init == "xavier" else 0.02
    assert weight.std().item() == pytest.approx(wanted, rel=0.2)


def test_positions_pair_only_in_scores_and_mixtures() -> None:
    """The maps of rows or queries are counted with the linear ones."""
    head, T = LATENT["nope_dim"] + LATENT["rope_dim"], 6
    found = count(latent(), "attention_flops", T=T, S=T)
    assert found == LAYERS * 2 * HEADS * T * T * (head + LATENT["v_dim"])
    row, S = LATENT["kv_rank"] + LATENT["rope_dim"], 9
    found = count(latent(), "attention_flops", T=1, S=S)
    assert found == LAYERS * 2 * HEADS * S * (row + LATENT["kv_rank"])
