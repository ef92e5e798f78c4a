"""A build for a target that cannot run it says where, and what can; nothing is written."""

from pathlib import Path
from typing import Any

import pytest

from archspec.source.diagnostic import SpecError, exit_status
from compiler.ir.rules import Builder
from compiler.ir.target import Target
from compiler.ops import Activation
from compiler.pipeline import build
from tests.shipped import ROOT

GRU = "specs/history/01-seq2seq-gru.yaml"


def test_a_target_without_a_kernel_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SpecError) as caught:
        build(GRU, weights="none", out=str(tmp_path), target=Target("cuda", "bf16"))
    (found,) = caught.value.diagnostics
    assert (found.code, exit_status([found])) == ("AR0940", 2)
    assert found.message == "`cuda` has no kernel for `GRU` of bfloat16"
    assert [label.span.line for label in (found.primary, *found.others)] == [12, 14]
    assert found.help == "it can be built with `--precision fp32` or `--precision fp16`"
    assert not list(tmp_path.iterdir())


def test_what_can_run_in_no_precision_there_is_sent_elsewhere(decoder: Path) -> None:
    with pytest.raises(SpecError, match="AR0940") as caught:
        build(str(decoder), weights="none", target=Target("cpu", "bf16"))
    (found,) = caught.value.diagnostics
    assert "of bfloat16" in found.message and "--target cuda" in found.help


@pytest.mark.parametrize(
    ("path", "target", "said"),
    [
        ("specs/multimodal/clip-b32.yaml", Target("cuda"), "1 node runs on the CPU"),
        ("specs/decoder/gpt2.yaml", Target("cpu", "fp16"), "computed in float32 between casts"),
        ("specs/decoder/gpt2.yaml", Target("cuda", "bf16"), None),
        ("specs/vision/vit-b16-cls.yaml", Target("cuda", "bf16"), "1 node is computed in float32"),
        ("specs/decoder/mixtral-8x7b.yaml", Target("cuda", "int4"), "64 nodes are computed in"),
        ("specs/decoder/gpt2.yaml", Target("cuda"), "h.0..12.attn: no `GroupQueryAttention`"),
        ("specs/decoder/deepseek-v2-lite.yaml", Target("cpu"), "are maps of one vector a position"),
    ],
)
def test_the_summary_names_what_falls_back(
    path: str, target: Target, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    built = build(path, weights="none", out=str(tmp_path), target=target)
    found = [note for note in built.notes if "kernel" in note or "Attention" in note]
    assert [said in note for note in found if said] == [True] * (said is not None)
    assert bool(found) == (said is not None)


def test_what_was_built_is_what_is_held_against_torch(
    decoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong node of the target alone fails the build for it and no other."""
    own = Activation._own

    def wrong(self: Activation, b: Builder, x: Any) -> Any:
        return b.op("Neg", own(self, b, x))

    monkeypatch.setattr(Activation, "_own", wrong)
    plain, fused = (
        build(str(decoder), verify=True, target=target).agreed
        for target in (Target(), Target("cpu"))
    )
    assert plain is not None and plain.ok
    assert fused is not None and not fused.ok


@pytest.mark.parametrize(
    ("target", "width", "said"),
    [
        (Target("cuda", "int4"), 14368, "h.0..2.mlp.experts: no `QMoE`, which"),
        (Target("cuda", "int4"), 14336, None),
        (Target("cuda", "bf16"), 14368, None),
        (Target("cpu", "int4"), 14368, None),
    ],
)
def test_experts_with_products_of_their_own_are_said(
    target: Target, width: int, said: str | None, tmp_path: Path
) -> None:
    path = str(ROOT / "specs" / "decoder" / "mixtral-8x7b.yaml")
    sizes = ("n_layers=2", f"d_ff={width}")
    built = build(path, weights="none", out=str(tmp_path), target=target, set=sizes)
    found = [note for note in built.notes if "MoE" in note]
    assert [note.startswith(said) for note in found if said] == [True] * (said is not None)
    assert bool(found) == (said is not None)
