"""Laws of the rows: brute-force counts, sums, growth, and that fusion changes nothing."""

import copy
from dataclasses import fields
from functools import cache
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archspec.load import load
from compiler.ir.cost import Cost
from compiler.passes.cost import Costs, Row, cost
from compiler.passes.fuse import fuse, fusions
from compiler.passes.metrics import exact, formulas, totals
from compiler.passes.metrics.traffic import TRAFFIC
from tests.passes.samples import LLAMA, chosen, counted, lowered, named
from tests.shipped import EVERY, SPECS

FEW = settings(max_examples=50, deadline=None)


@cache
def costs_of(name: str) -> Costs:
    return cost(lowered(named(name)))


def attentions(costs: Costs) -> list[Row]:
    return [row for row in costs.rows if row.attends]


@FEW
@given(new=st.integers(1, 20), before=st.integers(0, 20), batch=st.integers(1, 3))
def test_causal_flops_count_the_pairs_that_a_mask_lets_through(
    new: int, before: int, batch: int
) -> None:
    seen = before + new
    pairs = sum(source <= before + target for target in range(new) for source in range(seen))
    costs, figures = counted(load(LLAMA), B=batch, T=new, S=seen)
    layers, heads, width = 3, 4, 6
    assert figures["attention_flops_causal"] == layers * batch * heads * pairs * 2 * (width + width)
    assert figures["attention_flops"] == layers * batch * heads * new * seen * 2 * (width + width)
    assert len(attentions(costs)) == 1


@FEW
@given(
    heads=st.integers(1, 3).map(lambda n: 2 * n),
    head_dim=st.integers(1, 9).map(lambda n: 2 * n),
    width=st.integers(1, 50),
    hidden=st.integers(1, 90),
    layers=st.integers(1, 40),
    vocab=st.integers(1, 300),
    batch=st.integers(1, 5),
    length=st.integers(1, 64),
)
def test_a_llama_counted_by_hand(
    heads: int,
    head_dim: int,
    width: int,
    hidden: int,
    layers: int,
    vocab: int,
    batch: int,
    length: int,
) -> None:
    groups = heads // 2
    dims = {"heads": heads, "groups": groups, "each": head_dim, "width": width, "ff": hidden}
    spec = load(LLAMA, set={**dims, "layers": layers, "vocab": vocab})
    _, figures = counted(spec, B=batch, T=length)
    attention = width * head_dim * (2 * heads + 2 * groups)
    mlp = 3 * width * hidden
    assert figures["parameters"] == (
        2 * vocab * width + layers * (attention + mlp + 2 * width) + width
    )
    tokens = batch * length
    scores = batch * heads * length * length
    assert figures["matmul_flops"] == (
        2 * tokens * (vocab * width + layers * (attention + mlp)) + layers * 4 * scores * head_dim
    )
    assert figures["kv_bytes"] == layers * 2 * tokens * groups * head_dim * 2
    assert figures["attention_matrix_bytes_layer"] == scores * 2
    assert figures["attention_matrix_bytes_total"] == layers * scores * 2
    assert figures["attention_fused_bytes_total"] == layers * batch * heads * length * 4


@pytest.mark.parametrize("name", EVERY)
def test_rows_count_the_parameters_of_the_expanded_model(name: str) -> None:
    program = lowered(named(name))
    costs = cost(program)
    expanded = [each.count for each in program.parameters().values() if each.trained]
    found = sum(exact(costs, count, {}) for count in expanded)
    assert exact(costs, formulas(costs)["parameters"], {}) == found


@pytest.mark.parametrize("name", EVERY)
def test_fusion_changes_no_total(name: str) -> None:
    """But that what is joined reads its input once for all its parts."""
    program = lowered(named(name))
    costs, fused = cost(program), cost(fuse(program))
    apart, joined = formulas(costs), formulas(fused)
    assert {n: apart[n] for n in apart if n not in TRAFFIC} == {
        n: joined[n] for n in joined if n not in TRAFFIC
    }
    at = chosen(program, costs, named(name), {})
    for total in TRAFFIC:
        assert exact(fused, joined[total], at) <= exact(costs, apart[total], at)
    paths, others = ({row.path for row in cost(p).rows} for p in (program, fuse(program)))
    joins = any(len(parts) > 1 for parts in fusions(fuse(program)).values())
    assert (paths != others) == joins


@pytest.mark.parametrize("change", [{"B": 2}, {"T": 33}, {"S": 40}, {"T": 64, "B": 3}])
def test_more_work_costs_more(change: dict[str, int]) -> None:
    spec = load(LLAMA)
    _, little = counted(spec, B=1, T=32, S=32)
    _, much = counted(spec, **{"B": 1, "T": 32, "S": 64, **change})
    for name in ("matmul_flops", "elementwise_flops", "attention_matrix_bytes_total"):
        assert much[name] > little[name], name
    assert much["parameters"] == little["parameters"]


def test_more_layers_cost_more() -> None:
    figures = [counted(load(LLAMA, set={"layers": n}))[1] for n in (1, 2, 3, 24)]
    for name in ("parameters", "matmul_flops", "kv_bytes", "attention_fused_bytes_total"):
        values = [each[name] for each in figures]
        assert values == sorted(set(values)), name


def tied(tie: bool) -> dict[str, Any]:
    spec = copy.deepcopy(LLAMA)
    if tie:
        spec["graph"]["logits"] = {"unembed": {"tie": "tok"}}
    return spec


def test_a_tied_table_counts_once_and_multiplies_always() -> None:
    (_, own), (_, borrowed) = counted(load(tied(False))), counted(load(tied(True)))
    assert own["parameters"] - borrowed["parameters"] == 97 * 24
    assert own["matmul_flops"] == borrowed["matmul_flops"]
    assert own["parameters_embedding"] == borrowed["parameters_embedding"] == 97 * 24


def test_shared_layers_have_one_set_of_weights_and_run_every_time() -> None:
    spec = copy.deepcopy(LLAMA)
    spec["graph"]["h"]["stack"]["share"] = True
    (_, apart), (_, shared) = counted(load(LLAMA)), counted(load(spec))
    assert apart["matmul_flops"] == shared["matmul_flops"]
    assert apart["kv_bytes"] == shared["kv_bytes"]
    layers = apart["parameters"] - 2 * 97 * 24 - 24
    assert shared["parameters"] == layers // 3 + 2 * 97 * 24 + 24


def test_layers_that_differ_are_rows_of_their_own() -> None:
    spec = copy.deepcopy(LLAMA)
    spec["graph"]["h"]["stack"]["at"] = {0: {"mlp.hidden": 80}}
    costs, figures = counted(load(spec))
    ups = {row.path: exact(costs, row.parameters, {}) for row in costs.rows if "mlp.up" in row.path}
    assert ups == {"h.0.mlp.up": 24 * 80, "h.1..3.mlp.up": 2 * 24 * 40}
    assert figures["parameters"] == counted(load(LLAMA))[1]["parameters"] + 3 * 24 * 40


def test_formulas_speak_of_layers() -> None:
    costs = cost(lowered(load(LLAMA)))
    up = next(row for row in costs.rows if row.path == "h.0..3.mlp.up")
    assert str(up.parameters) == "D*L*M"
    assert str(up.cost.matmul) == "2*B*D*L*M*T"
    assert {f.name for f in fields(Cost)} >= {"matmul", "visible", "scores", "state"}


def test_rows_know_where_the_spec_asks_for_them() -> None:
    costs = cost(lowered(named("decoder/gpt2")))
    text = (SPECS / "decoder/gpt2.yaml").read_text().splitlines()
    row = next(row for row in costs.rows if row.path.endswith("attn.sdpa"))
    assert "attention" in text[row.span.line - 1]


def test_a_source_is_encoded_once_and_not_for_every_token() -> None:
    costs = costs_of("encoder-decoder/transformer-base")
    once = {row.path for row in costs.rows if row.once}
    assert {"src", "memory"} <= {path.partition(".")[0] for path in once}
    keys = {f"dec.0..6.cross.{name}" for name in ("k", "k_heads", "v", "v_heads")}
    assert keys == {path for path in once if path.startswith(("tgt", "dec", "logits."))}
    width, hidden, vocabulary, source, seen = 512, 2048, 37_000, 128, 64
    projections = 8 * width**2 + 4 * width**2 + 4 * width * hidden
    pairs = 4 * seen * width + 4 * source * width
    expected = 6 * (projections + pairs) + 2 * width * vocabulary
    at = {"B": 1, "T": 1, "S": source, costs.seen: seen}
    assert totals(costs, at)["decode_flops"] == expected


@pytest.mark.parametrize(
    "name", ["decoder/gpt2", "encoder-decoder/transformer-base", "history/01-seq2seq-gru"]
)
def test_what_is_done_once_is_not_below_the_decoder_s_input(name: str) -> None:
    program = lowered(named(name))
    below = nx.descendants(program.main.nx, program.grown) if program.grown else None
    names = {node.under or node.id: node.id for node in program.main}
    for row in cost(program).rows:
        at = names[row.path.partition(".")[0]]
        key = any(f".cross.{name}" in row.path for name in "kv")
        assert row.once == (below is not None and (at not in below or key))


def test_an_embedding_that_is_there_for_its_table_alone_computes_nothing() -> None:
    wide = {"embed": {"vocab": 9, "dim": 6, "project": 8}, "in": "a"}
    graph = {"t": wide, "x": {"embed": {"share": "t"}, "in": "b"}, "y": {"unembed": {"tie": "t"}}}
    spec = {"name": "m", "inputs": {"a": "tokens", "b": "tokens"}, "graph": graph}
    costs = cost(lowered(load(spec)))
    flops = {row.path: str(row.cost.matmul) for row in costs.rows}
    assert flops["t.project"] == "0"
    assert flops["y"] != "0"
    kept = next(row for row in costs.rows if row.path == "t.project")
    assert str(kept.parameters) != "0"


def test_tables_are_those_that_ids_or_places_pick_rows_of() -> None:
    """A grid of positions that is resized is one as much as a fixed one; a class token is none."""
    for name, owners in {
        "vision/dinov2-small": {"ResizedPositions"},
        "vision/vit-b16-cls": {"LearnedPositions"},
        "encoder/bert-base": {"Embedding", "LearnedPositions", "TypeEmbedding"},
    }.items():
        rows = cost(lowered(named(name))).rows
        assert {row.operator for row in rows if row.embedding} == owners
        assert all("Norm" in row.operator for row in rows if row.norm)
        assert sum(row.norm for row in rows) > 2
