"""What a model file computes: a step of a decoder, all positions of anything else."""

from compiler.passes.fuse import fuse
from compiler.passes.last_position import last_position
from compiler.passes.served import served
from compiler.passes.stateless import stateless
from tests.passes.test_stateless import TRANSLATOR
from tests.verify.models import decoder, encoder, made


def test_a_decoder_keeps_its_cache() -> None:
    fused = made(decoder()).fused
    assert served(fused, "all") is fused
    assert list(served(fused).main.inputs) == ["ids", "pos", "kv"]
    assert str(served(fused).main.nx) == str(last_position(fused).main.nx)


def test_other_models_compute_all_positions() -> None:
    for spec in (encoder(), TRANSLATOR):
        fused = fuse(made(dict(spec)).program)
        form = served(fused)
        assert list(form.main.inputs) == list(stateless(fused).main.inputs)
        assert not {"kv", "pos"} & set(form.main.inputs)
