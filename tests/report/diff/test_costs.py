"""Differences of costs: published counts, and the one line that was edited as their cause."""

from typing import Any

import pytest

from archspec.load import load
from archspec.model.spec import Spec
from compiler.passes.metrics import METRICS
from compiler.report.diff.difference import Difference, difference
from compiler.report.diff.totals import headline
from tests.passes.samples import LLAMA, lowered, named
from tests.report.reports import of


def compared(old: Spec, new: Spec, **at: int) -> Difference:
    pairs = [(spec, lowered(spec), of(spec)) for spec in (old, new)]
    found = difference(pairs[0], pairs[1], at)
    assert isinstance(found, Difference), found
    return found


def totals(found: Difference) -> dict[str, tuple[int, int]]:
    return {total.name: (total.before, total.after) for total in found.totals}


@pytest.mark.parametrize(
    ("old", "new", "parameters"),
    [
        ("decoder/llama-7b", "decoder/llama2-70b", (6_738_415_616, 68_976_648_192)),
        ("decoder/gpt2", "decoder/gpt2-xl", (124_439_808, 1_557_611_200)),
        ("decoder/llama3-8b", "decoder/mixtral-8x7b", (8_030_261_248, 46_702_792_704)),
        ("encoder/bert-base", "encoder/bert-large", (109_482_240, 335_141_888)),
        ("vision/vit-b16-cls", "vision/vit-b32", (86_567_656, 88_224_232)),
        ("decoder/deepseek-v2-lite", "decoder/deepseek-v3", (15_706_484_224, 671_026_404_352)),
    ],
)
def test_published_counts(old: str, new: str, parameters: tuple[int, int]) -> None:
    """costs.md 3.1; DeepSeek-V2-Lite is the count of its published tensors."""
    found = compared(named(old), named(new))
    assert totals(found)["parameters"] == parameters
    told = sum(b - a for delta in found.deltas for a, b in [delta.numbers("parameters")])
    assert told == parameters[1] - parameters[0]


def test_keys_and_values_of_grouped_queries() -> None:
    """Bytes a token in bf16: 2·2·heads·width·layers, 32 of 32 against 8 of 64 heads."""
    found = compared(named("decoder/llama-7b"), named("decoder/llama2-70b"))
    assert totals(found)["kv_bytes_per_token"] == (2 * 2 * 32 * 128 * 32, 2 * 2 * 8 * 128 * 80)


def test_both_are_counted_at_the_shorter_length() -> None:
    found = compared(named("decoder/llama-7b"), named("decoder/llama3-8b"))
    assert found.before.at == found.after.at == {"B": 1, "T": 2048, "S": 2048}


def test_both_are_counted_where_it_is_asked() -> None:
    found = compared(named("decoder/llama-7b"), named("decoder/llama3-8b"), S=512)
    assert found.before.at == found.after.at == {"B": 1, "T": 512, "S": 512}


def test_a_length_of_one_side_is_left_to_it() -> None:
    found = compared(named("encoder/bert-base"), named("decoder/gpt2"), B=2, T=64, S=128)
    assert found.before.at == {"B": 2, "T": 64}
    assert found.after.at == {"B": 2, "T": 64, "S": 128}


def test_a_length_of_neither_is_refused() -> None:
    spec = load(LLAMA)
    pair = (spec, lowered(spec), of(spec))
    found = difference(pair, pair, {"Q": 3})
    assert isinstance(found, tuple)
    assert [problem.code for problem in found] == ["AR0910"]


@pytest.mark.parametrize(
    "name", sorted({"vocab", "width", "layers", "heads", "groups", "each", "ff"})
)
def test_the_edited_size_is_the_only_cause(name: str) -> None:
    dims = LLAMA["dims"]
    other = load(LLAMA, set={name: 2 * dims[name]})
    found = compared(load(LLAMA), other)
    assert found.changes
    assert found.deltas
    for causes in (
        *(change.causes for change in found.changes),
        *(delta.causes for delta in found.deltas),
        *(total.causes for total in found.totals if total.before != total.after),
    ):
        assert [cause.what for cause in causes] == [f"dims.{name}"]


@pytest.mark.parametrize(
    "patch",
    [
        {"h.layer.mlp.act": "gelu"},
        {"h.layer.mlp.gated": False},
        {"h.layer.attn.window": 16},
        {"h.layer.attn.bias": True},
        {"h.layer.attn.softcap": 20},
        {"h.layer.attn.rope": "none"},
        {"h.layer.attn.rope.dim": 4},
        {"h.layer.attn.norm": {"layer": 1e-5}},
        {"h.layer.attn.qk_norm": {"rms": 1e-6}},
        {"logits": {"unembed": {"tie": "tok"}, "in": "final"}},
        {
            "h.layer.mlp": {
                "moe": {"experts": 4, "top_k": 2, "expert": {"hidden": 8, "act": "silu"}}
            }
        },
    ],
    ids=str,
)
def test_a_patch_is_the_cause_of_all_that_it_costs(patch: dict[str, object]) -> None:
    found = compared(load(LLAMA), load(LLAMA, set=patch))
    causes = [delta.causes for delta in found.deltas]
    causes += [total.causes for total in found.totals if total.before != total.after]
    assert causes
    for said in causes:
        assert said
        assert {cause.after.file for cause in said if cause.after} <= {"--set", ""}
        assert any(cause.after and cause.after.file == "--set" for cause in said) or all(
            cause.before for cause in said
        )


def test_what_changes_no_cost_is_no_cause_of_one() -> None:
    """A wider mlp beside another base of the turns, another epsilon, other first numbers."""
    patch = {
        "ff": 80,
        "h.layer.attn.rope.theta": 500000,
        "h.layer.mlp.norm": {"rms": 1e-6},
        "h.layer.mlp.init": {"normal": 0.1},
        "h.layer.mlp.act": "gelu",
    }
    found = compared(load(LLAMA), load(LLAMA, set=patch))
    by_name = {total.name: total for total in found.totals}
    assert len(found.changes) > len(patch) - 1
    for name in ("parameters", "matmul_flops", "weights_bytes"):
        assert [cause.what for cause in by_name[name].causes] == ["dims.ff"]
    assert [delta.component for delta in found.deltas] == ["h.layer.mlp"]


def test_a_length_that_follows_from_the_patches() -> None:
    """Without a class token each layer sees one position less: the `prefix` is the cause of all."""
    graph: dict[str, Any] = {
        "x": {"patches": {"size": 4, "image": 8, "dim": 12, "prefix": ["cls"]}, "in": "image"},
        "h": {"stack": {"repeat": 2, "layer": {"attn": {"attention": {"heads": 2}}}}},
    }
    image = {"name": "image", "inputs": {"image": {"image": [3, 8, 8]}}, "graph": graph}
    bare = {**graph, "x": {**graph["x"], "patches": {"size": 4, "image": 8, "dim": 12}}}
    found = compared(load(image), load({**image, "graph": bare}))
    assert {delta.component for delta in found.deltas} == {"x", "h.layer.attn"}
    for delta in found.deltas:
        assert {cause.what for cause in delta.causes} == {"x.prefix"}


def test_names_cost_nothing() -> None:
    graph = {{"h": "blocks", "tok": "wte"}.get(k, k): v for k, v in LLAMA["graph"].items()}
    found = compared(load(LLAMA), load({**LLAMA, "graph": graph}))
    assert {change.kind for change in found.changes} == {"renamed"}
    assert found.deltas == ()


def test_another_law_of_growth_is_told() -> None:
    """A soft-capped attention is not fused: what is kept of it is a matrix, O(N²)."""
    found = compared(load(LLAMA), load(LLAMA, set={"h.layer.attn.softcap": 20}))
    by_name = {total.name: total for total in found.totals}
    for name in ("saved_bytes", "forward_peak_bytes"):
        assert by_name[name].after > by_name[name].before
        assert [cause.what for cause in by_name[name].causes] == ["h.layer.attn.softcap"]
    grows = {t.name: t.grows for t in found.totals if t.grows[0] != t.grows[1]}
    assert grows["attention_fused_bytes_total"] == (1, 2)
    assert "attention_matrix_bytes_total" not in grows
    assert "grows as O(N²), it was O(N)" in found.text()


def test_every_total_is_compared_and_few_are_shown_first() -> None:
    found = compared(named("decoder/gpt2"), named("decoder/gpt2"))
    assert found.same
    assert [total.name for total in found.totals] == [
        name
        for name in METRICS
        if name not in ("parameters_frozen", "source_kv_bytes", "kv_held_bytes")
    ]
    first = [total.name for total in headline(found.totals)]
    assert first[0] == "parameters"
    assert {"matmul_flops", "forward_peak_bytes", "saved_bytes"} <= set(first)
    assert len(first) <= 7


def test_there_and_back_cancel() -> None:
    old, new = named("decoder/gemma-2b"), named("decoder/gemma2-2b")
    there, back = compared(old, new), compared(new, old)
    assert totals(back) == {name: (b, a) for name, (a, b) in totals(there).items()}
    assert {d.component for d in back.deltas} == {d.component for d in there.deltas}


def test_a_broken_limit_of_the_second_spec_is_a_no() -> None:
    over, within = ({**LLAMA, "budget": {"parameters": limit}} for limit in (10, 10**9))
    assert not compared(load(within), load(over)).ok
    assert compared(load(over), load(within)).ok
    assert "OVER" in compared(load(within), load(over)).text()
