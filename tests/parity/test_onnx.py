"""Every spec: ONNX Runtime against generated torch, rows without any real place included."""

from pathlib import Path

import pytest
import torch

from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.ops import CacheUpdate
from compiler.ops.grouped_query import GROUPED
from compiler.verify.difference import apart
from compiler.verify.examples import Example, example
from compiler.verify.module import build, call
from compiler.verify.parity import BAR, onnx_session, parity, run
from compiler.verify.rounding import eased, rounding
from tests.generated.samples import DECODERS, small
from tests.shipped import DISTINCT, MIXED

CPU = Target("cpu")

ROUNDED = {
    "specs/decoder/deepseek-v3.yaml": 2e-5,
    "specs/decoder/gemma3-1b.yaml": 2e-5,
    "specs/decoder/gemma3-4b.yaml": 2e-5,
    "specs/decoder/gemma3-27b.yaml": 2e-5,
}
"""Where more than half of the bar was measured on one processor or another, and a weight's last
bits move outputs by 4e-5 and more."""

PADDED = [p for p in DISTINCT if any(found.padded for found in small(p).spec.inputs.values())]


@pytest.mark.parametrize("path", DISTINCT)
def test_three_batch_sizes_and_lengths(path: str) -> None:
    made = small(path)
    check = parity(made, build(made.generated, program=made.fused))
    assert check.measured is not None
    assert check.measured <= ROUNDED.get(path, BAR), check


@pytest.mark.parametrize("path", [path for path in DECODERS if path not in MIXED])
def test_decoders_for_a_cpu_too(path: str) -> None:
    """Heads of the siblings are as wide as the runtime's attention takes them."""
    made = small(path)
    model = build(made.generated, program=made.fused)
    check = eased(parity(made, model, CPU), made, model)
    assert check.ok, check
    if any(isinstance(node.what, CacheUpdate) for _, node, _ in made.whole.flat()):
        listing = unrolled(made.whole, CPU)
        assert any(step.kind == GROUPED for step in listing.flat()) and not listing.apart


@pytest.mark.parametrize("path", ROUNDED)
def test_no_bar_is_above_what_rounding_does(path: str) -> None:
    made = small(path)
    assert BAR < ROUNDED[path] <= rounding(made, build(made.generated, program=made.fused))


@pytest.mark.parametrize("path", PADDED)
def test_a_row_of_nothing_but_padding(path: str, tmp_path: Path) -> None:
    """Where a query sees no key its attention is zero, not a division by nothing."""
    made = small(path)
    model = build(made.generated, program=made.fused)
    given = example(made.spec, made.program, 3, 9)
    masks = {
        n: v.clone() for n, v in given.values.items() if v.dtype == torch.bool and v.dim() == 2
    }
    for mask in masks.values():
        mask[1] = False
        mask[0, :4] = False
    blank = Example({**given.values, **masks}, given.lengths)
    with torch.no_grad():
        wanted = call(model, blank.values)
    assert all(found.isfinite().all() for found in wanted)
    found = run(onnx_session(made.files, model, tmp_path), blank)
    assert apart(found, wanted) <= ROUNDED.get(path, BAR)
