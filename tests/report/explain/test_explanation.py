"""Explained numbers against published counts, hand counts and each other."""

import pytest

from archspec.source.diagnostic import SpecError
from compiler.passes.metrics import METRICS
from compiler.passes.setting import Setting
from compiler.report.costs import CostReport, cost_report
from compiler.report.explain.figures import FIGURES
from compiler.report.explain.telling import texts
from compiler.report.numbers import THIN
from tests.passes.samples import lowered, named
from tests.report.reports import report, with_budget

GPT2 = report("decoder/gpt2")
ATTENTION = 38_654_705_664  # FlopCounterMode on transformers' GPT-2, one sequence of 1024


@pytest.mark.parametrize(
    "said",
    [
        "attention_flops",
        "h.layer.attn.sdpa.flops",
        "h.0..12.attn.sdpa.matmul_flops",
    ],
)
def test_all_spellings_are_the_published_number(said: str) -> None:
    (found,) = GPT2.explain(said)
    assert (found.value, found.unit) == (ATTENTION, "FLOP")


def test_the_numbers_put_in_come_to_the_result() -> None:
    (found,) = GPT2.explain("h.layer.attn.sdpa.flops")
    lines = found.text().replace(THIN, "").splitlines()
    (numbers,) = (line.split(maxsplit=2)[2] for line in lines if line.startswith("in numbers"))
    product = 1
    for factor in numbers.split("·"):
        product *= int(factor)
    assert product == ATTENTION
    assert "  Vaswani et al. 2017, eq. 1" in found.text()
    assert "matmul=per_pair * n.T * n.S" in found.text()
    assert "gpt2.yaml:20" in found.text()


@pytest.mark.parametrize("name", ["decoder/gpt2", "decoder/deepseek-v3", "decoder/gemma-2b"])
def test_parts_make_up_their_totals(name: str) -> None:
    found = report(name)
    for figure in set(FIGURES) & set(found.totals):
        (explained,) = found.explain(figure)
        assert explained.value == found.totals[figure], figure
        assert sum(part.value for part in explained.parts) == explained.value, figure


@pytest.mark.parametrize("figure", sorted(FIGURES))
def test_layers_one_by_one_make_up_all_of_them(figure: str) -> None:
    (whole,) = GPT2.explain(f"h.layer.{figure}")
    each = [GPT2.explain(f"h.{layer}.{figure}")[0].value for layer in range(12)]
    assert sum(each) == whole.value
    assert len(set(each)) == 1


def test_what_nodes_keep_for_the_backward_pass_is_all_that_is_kept() -> None:
    """Of GPT-2's fused attention: queries, keys, values and the result in bfloat16, and a float32
    log-sum-exp a row."""
    parts = [GPT2.explain(f"{path}.saved_bytes")[0] for path in ("h", "final", "logits")]
    assert sum(part.value for part in parts) == GPT2.totals["saved_bytes"]
    (attention,) = GPT2.explain("h.layer.attn.sdpa.saved_bytes")
    assert attention.value == 12 * (4 * 1024 * 768 * 2 + 12 * 1024 * 4)
    assert "Korthikanti" in attention.text()


def test_layers_that_differ_are_each_their_own() -> None:
    deep = report("decoder/deepseek-v3", T=64)
    inside = [deep.explain(f"h.{layer}.flops")[0].value for layer in range(61)]
    assert inside[0] == inside[2] != inside[3] == inside[60]
    (head,) = deep.explain("logits.flops")
    assert sum(inside) + head.value == deep.totals["matmul_flops"]
    assert head.value == 2 * 64 * 7168 * 129_280


def test_one_layer_by_hand() -> None:
    """A query map of GPT-2 small: 768 by 768 and a bias."""
    (found,) = GPT2.explain("h.3.attn.q.parameters")
    assert found.value == 768 * 768 + 768
    assert set(found.letters) == {"D", "H", "K"}


def test_a_path_alone_explains_what_is_not_nothing() -> None:
    found = {each.figure: each.value for each in GPT2.explain("logits")}
    assert found["matmul_flops"] == 79_047_426_048  # as FlopCounterMode counts the head
    assert "parameters" not in found  # the table is the embedding's


def test_what_an_operator_says_of_itself_follows_its_numbers_once() -> None:
    found = GPT2.explain("logits")
    lines = texts(found).splitlines()
    numbers = [i for i, line in enumerate(lines) if line.startswith("logits.")]
    (rule,) = (i for i, line in enumerate(lines) if line.startswith("its rule"))
    assert len(numbers) == len(found) > 3
    assert numbers[-1] < rule


def test_the_setting_counts() -> None:
    spec = named("decoder/gpt2")
    eager = cost_report(lowered(spec), spec, setting=Setting("fp32", "eager"))
    assert isinstance(eager, CostReport)
    (found,) = eager.explain("h.layer.attn.sdpa.read_bytes")
    (fused,) = GPT2.explain("h.layer.attn.sdpa.read_bytes")
    assert found.value > 2 * fused.value
    assert "precision fp32, kernel eager" in found.text()
    assert found.document()["setting"]["kernel"] == "eager"


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_total_is_explained_or_said_not_to_be_known(name: str) -> None:
    """Of a model with nothing frozen, no cache, no source and a recurrence."""
    found = report("history/01-seq2seq")
    if METRICS[name].present(found.costs):
        (explained,) = found.explain(name)
        assert explained.value == found.totals[name]
        return
    with pytest.raises(SpecError) as raised:
        found.explain(name)
    (only,) = raised.value.diagnostics
    assert (only.code, "is not known for this model" in only.message) == ("AR0965", True)


@pytest.mark.parametrize(
    ("said", "code", "hint"),
    [
        ("kv_byte", "AR0965", "did you mean `kv_bytes`?"),
        ("logits.flop", "AR0965", "did you mean `flops`?"),
        ("logits.colour", "AR0965", "no figure"),
        ("h.layr.attn.flops", "AR0966", "did you mean `h.layer.attn`?"),
        ("h.3.attn.sdpa.flops", "AR0966", ""),
        ("h.3.attm", "AR0966", ""),
        ("h.0.attn.saved_bytes", "AR0965", "`h.layer.attn.saved_bytes`"),
        ("h.0.attm.saved_bytes", "AR0966", ""),
        ("tok.saved_bytes", "AR0965", "nothing that a backward pass needs"),
        ("", "AR0965", ""),
        (".", "AR0965", ""),
        ("x.y.z", "AR0966", "`logits`"),
    ],
)
def test_what_there_is_not(said: str, code: str, hint: str) -> None:
    with pytest.raises(SpecError) as raised:
        with_budget({}).explain(said)
    (only,) = raised.value.diagnostics
    assert only.code == code
    assert hint in only.primary.text
    assert only.primary.span.file == "--explain"
