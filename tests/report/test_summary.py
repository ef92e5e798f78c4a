"""The lines after a build."""

from compiler.report.summary import Written, summary
from tests.report.reports import report


def test_what_was_written_and_what_it_costs() -> None:
    found = report("decoder/gpt2")
    written = [
        Written("generated/decoder/gpt2/", ("model.py", "cost.md"), 20_480),
        Written("build/decoder/gpt2/", ("model.onnx",), 498_000_000),
    ]
    lines = summary("gpt2", written, found.totals, "B=1,T=1024", 1.84)
    assert [line.replace("\u202f", " ") for line in lines] == [
        "gpt2 built in 1.8 s",
        "  generated/decoder/gpt2/  model.py, cost.md  (20.0 KiB)",
        "  build/decoder/gpt2/      model.onnx  (475 MiB)",
        "  124 M parameters · 292 GFLOP at B=1,T=1024 · 36.0 KiB of KV per token",
        "  attention: 288 MiB of scores unfused, 576 KiB fused (bf16)",
    ]


def test_nothing_is_said_of_what_a_model_has_not() -> None:
    found = report("encoder/bert-base")
    text = "\n".join(summary("bert", [], found.totals, "B=1,T=512", 0.2))
    assert "KV" not in text
