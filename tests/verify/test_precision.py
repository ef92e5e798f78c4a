"""What a precision costs, worked out again from the outputs of both sides."""

from typing import Any

import pytest
import torch

import archspec
from compiler.answer import CannotAnswer
from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Precision, Target
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import build
from compiler.verify.precision import LOSSES, check_room, deviation, loss_of, verify_precision
from tests.generated.samples import small

SPEC: dict[str, Any] = {
    "name": "small",
    "inputs": {"ids": "tokens"},
    "defaults": {"norm": {"rms": 1e-6}, "norm_at": "pre"},
    "graph": {
        "tok": {"embed": {"vocab": 120, "dim": 64}, "in": "ids"},
        "h": {
            "stack": {
                "repeat": 2,
                "layer": {
                    "attn": {"attention": {"heads": 4, "mask": "causal"}},
                    "mlp": {"mlp": {"hidden": 96, "act": "gelu"}},
                },
            }
        },
        "logits": {"unembed": {"tie": "tok"}},
    },
}


def measured(target: Target, **more: Any) -> tuple[bool | None, float]:
    (check,) = verify_precision(archspec.load(SPEC), target, **more).checks
    assert check.measured is not None
    return check.ok, float(check.measured)


def test_fewer_bits_lose_more_and_floats_nothing() -> None:
    losses = [measured(Target("cpu", kind))[1] for kind in ("fp32", "int8", "int4")]
    assert losses == sorted(losses)
    assert losses[0] < 1e-5 < losses[1] < 0.05 < losses[2] < LOSSES[4]


def test_what_stands_at_padding_is_no_loss() -> None:
    padded = {**SPEC, "inputs": {"ids": {"tokens": {"padded": True}}}}
    (check,) = verify_precision(archspec.load(padded), Target("cpu")).checks
    assert check.ok, check
    assert check.reason == "mean cosine 1.00000"


def test_a_stated_loss_decides() -> None:
    ok, found = measured(Target("cpu", "int4"))
    assert ok
    assert measured(Target("cpu", "int4"), loss=found / 2)[0] is False
    assert measured(Target("cpu", "int4"), loss=found * 2)[0] is True


def whole_numbers() -> dict[str, torch.Tensor]:
    """Weights of SPEC that four bits hold: only inputs of products are rounded."""
    made = compiled(archspec.load(SPEC))
    assert isinstance(made, Compiled)
    state = build(made.generated).state_dict()
    for name, tensor in state.items():
        if tensor.dim() == 2:
            whole = torch.randint(-7, 8, tensor.shape, generator=torch.Generator().manual_seed(0))
            whole[:, ::16], whole[:, 1::16] = -8, 7
            state[name] = whole / 64
    return state


def test_given_weights_are_what_is_rounded() -> None:
    drawn = measured(Target("cpu", "int4"))[1]
    assert measured(Target("cpu", "int4"), state=whole_numbers)[1] < drawn / 4


def test_the_widest_error_allowed_is_that_of_the_fewest_bits() -> None:
    assert loss_of(Target("cpu"), None) == 1e-5
    assert loss_of(Target("cpu", "int8"), None) == LOSSES[8]
    assert loss_of(Target("cpu", "int8", choices=(Choice("x", Integers(4)),)), None) == 0.5
    assert loss_of(Target("cpu", choices=(Choice("x", Integers(8)),)), None) == LOSSES[8]
    assert loss_of(Target("cpu", "int4"), 0.2) == 0.2


PAIRS = (
    "encoder-decoder/transformer-base",
    "encoder-decoder/bart-base",
    "history/02-bahdanau-final",
)


@pytest.mark.parametrize("name", PAIRS)
def test_an_encoder_and_a_decoder_are_rounded_together(name: str) -> None:
    """Two files lose as one does: nothing in floats, more the fewer the bits."""
    found = small(f"specs/{name}.yaml")
    model = build(found.generated)
    kinds: tuple[Precision, ...] = ("fp32", "int8", "int4")
    losses = [deviation(found, model, Target("cpu", kind)).relative for kind in kinds]
    assert list(found.files) == ["encoder", "decoder"]
    assert losses == sorted(losses)
    assert losses[0] < 1e-5 < losses[1] < LOSSES[8]
    assert 3 * losses[1] < losses[2] < LOSSES[4]


def test_what_has_no_room_with_its_weights_is_refused_before_they_are_read() -> None:
    """Llama 3 8B thrice in float32 are 89.7 GiB."""
    check_room(8_030_261_248, 97 * 10**9)
    with pytest.raises(CannotAnswer, match=r"89\.7.GiB"):
        check_room(8_030_261_248, 24 * 10**9)


def test_a_spec_too_large_to_run_is_a_sibling_with_drawn_weights() -> None:
    """DeepSeek-V2-Lite has 15.7 G parameters: 63 GB in float32."""
    spec = archspec.load("specs/decoder/deepseek-v2-lite.yaml")
    found = verify_precision(spec, Target("cpu", "int8"))
    assert found.ok and found.patches
    assert found.remark.endswith("run as a sibling, drawn weights")
