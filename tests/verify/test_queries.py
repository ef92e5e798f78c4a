"""Queries are drawn so that scores vary by one: T5's as its authors draw them."""

import pytest
import torch
from transformers import T5Config, T5ForConditionalGeneration

from compiler.verify.examples import LENGTHS, example
from compiler.verify.module import build, call
from tests.generated.samples import small

T5 = "specs/encoder-decoder/t5-v1.1-small.yaml"


def spread(weight: torch.Tensor) -> float:
    return float(weight.detach().std())


def test_queries_are_as_narrow_as_transformers_draws_them() -> None:
    """Against keys, in the encoder, the decoder and between them."""
    found = small(T5)
    sizes = {"d_model": 64, "d_kv": 16, "d_ff": 80, "num_heads": 4, "num_layers": 2}
    torch.manual_seed(0)
    theirs = T5ForConditionalGeneration(
        T5Config(vocab_size=101, feed_forward_proj="gated-gelu", **sizes)
    ).encoder
    other = theirs.block[0].layer[0].SelfAttention
    wanted = spread(other.q.weight) / spread(other.k.weight)
    ours = build(found.generated, program=found.fused).state_dict()
    for side in ("enc.0.self", "dec.1.self"):
        q, k, _ = ours[f"{side}.qkv.weight"].chunk(3)
        assert spread(q) / spread(k) == pytest.approx(wanted, rel=0.1)
    q, (k, _) = ours["dec.0.cross.q.weight"], ours["dec.0.cross.kv.weight"].chunk(2)
    assert spread(q) / spread(k) == pytest.approx(wanted, rel=0.1)


def test_nothing_but_queries_is_drawn_otherwise() -> None:
    found = small(T5)
    plain, even = build(found.generated), build(found.generated, program=found.fused)
    known = plain.state_dict()
    changed = {n for n, tensor in even.state_dict().items() if not torch.equal(tensor, known[n])}
    assert changed == {n for n in known if n.endswith(("self.qkv.weight", "cross.q.weight"))}


@pytest.mark.parametrize(
    ("name", "changes"),
    [("gpt-neo-125m", True), ("llama3-8b", False), ("gemma3-27b", False), ("granite3-2b", True)],
)
def test_factors_that_say_how_wide_are_heeded(name: str, changes: bool) -> None:
    """GPT-Neo has none and Granite a small one; Llama's is the usual, and Gemma 3 norms queries."""
    found = small(f"specs/decoder/{name}.yaml")
    plain, even = build(found.generated), build(found.generated, program=found.fused)
    known = even.state_dict()
    same = all(torch.equal(tensor, known[n]) for n, tensor in plain.state_dict().items())
    assert same is not changes


def test_outputs_move_less_with_the_last_bits() -> None:
    """The reason for it: one position no longer takes all weight."""
    found = small(T5)
    moved = []
    for program in (None, found.fused):
        model = build(found.generated, program=program)
        given = example(found.spec, found.program, *LENGTHS[-1]).values
        with torch.no_grad():
            (before,) = call(model, given)
            for parameter in model.parameters():
                parameter.mul_(1 + 1e-5)
            (after,) = call(model, given)
        moved.append(float((after - before).norm() / before.norm()))
    assert moved[1] < moved[0] / 2
