"""Budgets: what holds, what is broken, and what cannot be judged."""

from pathlib import Path

import pytest

from compiler.report.budget import broken
from tests.report.reports import refused, with_budget

CACHE = 3 * 2 * 2 * 6 * 64 * 2  # layers · (keys, values) · groups · width · positions · bf16


def test_a_limit_holds_up_to_itself() -> None:
    report = with_budget({"kv_bytes": CACHE})
    assert report.ok
    (verdict,) = report.verdicts
    assert (verdict.value, verdict.ok) == (CACHE, True)
    assert not with_budget({"kv_bytes": CACHE - 1}).ok


def test_sizes_and_precision_are_the_limit_s_own() -> None:
    report = with_budget({"kv_bytes@{B: 3, T: 32, precision: fp32}": 1e9, "parameters": 1})
    first, second = report.verdicts
    assert first.value == CACHE * 3 // 2 * 2
    assert (first.at, first.precision) == ("B=3,T=32,S=32", "fp32")
    assert second.value == report.totals["parameters"]


def test_weights_are_rounded_where_the_limit_says_so() -> None:
    key = "weights_bytes@{{precision: {}, target: cpu}}".format
    patches = ("width=64",)
    plain, fine = with_budget({key("int4"): 1, key("int4:16:zero-point"): 1}, patches).verdicts
    assert plain.setting.rounded is not None and plain.precision == "fp32"
    assert 0 < plain.value < fine.value
    assert plain.document()["setting"] == {**plain.setting.document(), "weights": "int4"}
    assert plain.setting.document()["target"] == "cpu"


def test_a_broken_limit_says_by_what_formula() -> None:
    report = with_budget({"kv_bytes": 1024, "parameters": 1e9})
    (only,) = broken(report.verdicts)
    assert only.code == "AR0810"
    assert "over budget at B=1,T=64,S=64" in only.message
    assert only.help == "it is 4·B·G·K·L·S = 4·1·2·6·3·64"
    assert CACHE == 4 * 1 * 2 * 6 * 3 * 64
    assert "9.00\u202fKiB" in only.primary.text


@pytest.mark.parametrize("written", ["300e6", "300000000", "3 * 10**8"])
def test_a_limit_is_said_as_it_is_written_too(written: str) -> None:
    (verdict,) = with_budget({"weights_bytes@{precision: fp32}": written}).verdicts
    assert verdict.allowed() == f"286\u202fMiB (`{written}`)"
    assert verdict.finding().endswith(f"within its limit of 286\u202fMiB (`{written}`)")


def test_the_report_puts_verdicts_before_the_table() -> None:
    text = with_budget({"kv_bytes": 1024, "parameters": 1e9}).text()
    over, holds, table = (text.index(word) for word in ("OVER", "ok  ", "node "))
    assert over < holds < table


@pytest.mark.parametrize(
    ("key", "code", "said"),
    [
        ("kv_byte", "AR0811", "did you mean `kv_bytes`?"),
        ("kv_bytes@{device: h200}", "AR0812", "a number needs none"),
        ("parameters@{optimizer: adamv}", "AR0812", "did you mean `adamw`?"),
        ("parameters@{kernel: flash}", "AR0812", "`fused` and `eager`"),
        ("parameters@{kernel: fused:2}", "AR0812", "did you mean `fused`?"),
        ("parameters@{recompute: layers}", "AR0812", "`none`, `selective` and `full`"),
        ("parameters@{precision: fp8}", "AR0812", "`fp32`, `bf16`, `fp16`, `int8` or `int4`"),
        ("parameters@{precision: int4:33}", "AR0812", "did you mean `32`?"),
        ("parameters@{precision: int4, target: gpu}", "AR0812", "did you mean `cuda`?"),
        (
            "parameters@{target: cpu}",
            "AR0812",
            "give `precision` int8 or int4 too, or leave it out",
        ),
        ("kv_bytes@{N: 8}", "AR0812", "its lengths are"),
        ("kv_bytes@{T: 9, S: 8}", "AR0812", "8 are fewer than the 9 new ones"),
    ],
)
def test_what_cannot_be_judged_is_said_at_the_limit(key: str, code: str, said: str) -> None:
    (only,) = refused({key: 10})
    assert only.code == code
    assert said in only.primary.text
    assert only.primary.span.line > 1


def test_all_limits_that_cannot_be_judged_are_said_at_once() -> None:
    assert len(refused({"kv_byte": 1, "parameter": 2, "parameters": 3})) == 2


def test_a_limit_may_be_what_a_device_has_room_for() -> None:
    report = with_budget({"kv_bytes@{B: 8, device: a100}": "fits"})
    (verdict,) = report.verdicts
    assert (verdict.value, verdict.most) == (8 * CACHE, 76 * 2**30)
    assert "within the room of 76.0" in verdict.finding()
    found = verdict.document()
    assert (found["device"], found["limit"], found["unit"]) == ("a100-sxm", verdict.most, "bytes")


def test_what_does_not_fit_says_what_it_needs_and_what_there_is() -> None:
    batch = 76 * 2**30 // CACHE + 1
    (only,) = broken(with_budget({f"kv_bytes@{{B: {batch}, device: a100}}": "fits"}).verdicts)
    assert f"over budget at B={batch},T=64,S=64 on NVIDIA A100" in only.message
    assert "less 4.00\u202fGiB kept back" in only.primary.text
    assert with_budget({f"kv_bytes@{{B: {batch - 1}, device: a100}}": "fits"}).ok


@pytest.mark.parametrize(
    ("key", "code", "said"),
    [
        ("kv_bytes@{device: h20}", "AR0812", "did you mean `h200`?"),
        ("parameters@{device: h200}", "AR0812", "its unit is parameters"),
        ("kv_bytes@{device: none.yaml}", "AR0812", "no such file"),
        ("kv_bytes@{device: this}", "AR0812", "name a device"),
        ("kv_bytes@{device: h200, reserve: some}", "AR0812", "`some` is none"),
    ],
)
def test_what_cannot_fit_is_said_at_the_limit(key: str, code: str, said: str) -> None:
    (only,) = refused({key: "fits"})
    assert (only.code, said in only.primary.text) == (code, True)


def test_a_file_of_devices_that_is_wrong_is_said_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("devices:\n  mine: {memory_gib: 1, bandwidth_gb_s: 1}\n", encoding="utf-8")
    (only,) = refused({f"kv_bytes@{{device: {file}}}": "fits"})
    assert (only.code, only.primary.text) == ("AR0812", "it is needed")
    (other,) = only.others
    assert (other.span.file, other.span.line) == (str(file), 2)


def test_a_total_that_tells_nothing_can_be_limited() -> None:
    """Nothing is frozen, and no window lets the cache be smaller than what is held."""
    held = with_budget({"parameters_frozen": 0, "kv_held_bytes": CACHE}).verdicts
    assert [(verdict.value, verdict.ok) for verdict in held] == [(0, True), (CACHE, True)]
    assert not with_budget({"kv_held_bytes": CACHE - 1}).ok


def test_a_kernel_in_a_key_changes_what_is_counted() -> None:
    """Unfused attention writes its scores, and reads them twice more than the fused kernel."""
    report = with_budget({"read_bytes": 1e9, "read_bytes@{kernel: eager}": 1e9})
    fused, eager = report.verdicts
    scores = 3 * 4 * 64 * 64  # layers · heads · positions · positions
    assert eager.setting.kernel == "eager"
    assert eager.value - fused.value == 2 * 2 * scores  # read before the softmax and behind it


@pytest.mark.parametrize(
    ("at", "bytes_each"),
    [
        ("", 16),  # ZeRO, section 3.1: 2 + 2 + 4 + 4 + 4
        ("optimizer: adam8bit", 10),
        ("optimizer: sgd", 12),
        ("optimizer: muon", 12),
        ("precision: fp32", 16),
        ("optimizer: sgd, precision: fp32", 12),
    ],
)
def test_states_of_training_are_judged_in_the_setting_of_the_key(at: str, bytes_each: int) -> None:
    parameters = with_budget({}).totals["parameters"]
    key = f"training_states_bytes@{{{at}}}" if at else "training_states_bytes"
    assert with_budget({key: bytes_each * parameters}).ok
    assert not with_budget({key: bytes_each * parameters - 1}).ok


def test_only_a_device_has_something_kept_back() -> None:
    (only,) = refused({"kv_bytes@{reserve: 1GiB}": 1e9})
    assert (only.code, only.primary.text) == ("AR0812", "of which?")


def test_what_is_kept_back_may_be_said() -> None:
    """Of 24 GiB: 4 unless the key says otherwise."""
    usual, own = with_budget(
        {
            "weights_bytes@{device: l4}": "fits",
            "weights_bytes@{device: l4, reserve: 23.5GiB}": "fits",
        }
    ).verdicts
    assert (usual.most, own.most) == (20 << 30, 1 << 29)
    assert "less 23.5 GiB kept back" in own.finding().replace("\u202f", " ")


def test_recomputation_is_a_condition_too() -> None:
    """Full recomputation runs the layers once more: all products of a forward but the head's."""
    report = with_budget({"recompute_flops@{recompute: full}": 1, "recompute_flops": 1})
    full, none = report.verdicts
    head = 2 * 64 * 24 * 97  # tokens · width · vocabulary
    assert (full.value, none.value) == (report.totals["matmul_flops"] - head, 0)
