"""What model files compute: a step of a decoder, a source once, all positions of anything else."""

from compiler.passes.encoder_decoder import encoder_decoder
from compiler.passes.last_position import last_position
from compiler.passes.served import in_one, runs, served
from compiler.passes.stateless import stateless
from tests.lower.specs import encoder_decoder as translator
from tests.verify.models import allowed, decoder, encoder, made


def test_a_decoder_keeps_its_cache() -> None:
    fused = made(decoder()).fused
    assert served(fused, "all") == {"model": fused}
    (form,) = served(fused).values()
    assert list(form.main.inputs) == ["ids", "pos", "kv"]
    assert str(form.main.nx) == str(last_position(fused).main.nx)


def test_a_decoder_over_an_encoded_source_has_two_files() -> None:
    fused = made(translator()).fused
    files, parts = served(fused, "all"), encoder_decoder(fused)
    assert parts is not None
    assert list(files) == ["encoder", "decoder"]
    assert [each.main for each in files.values()] == [each.main for each in parts]
    last = served(fused)["decoder"].main
    assert str(last.nx) == str(last_position(parts[1]).main.nx)


def test_other_models_compute_all_positions() -> None:
    fused = made(encoder()).fused
    (form,) = served(fused).values()
    assert list(form.main.inputs) == list(stateless(fused).main.inputs)


def test_a_source_that_nothing_encodes_is_read_at_every_step() -> None:
    fused = made(allowed()).fused
    assert served(fused, "all") == {"model": fused}


def test_when_a_file_runs_is_said() -> None:
    said = {
        name: runs(name, program)
        for spec in (translator(), encoder())
        for name, program in served(made(spec).fused).items()
    }
    assert said == {
        "encoder": "once for a source",
        "decoder": "at every step",
        "model": "on whole sequences",
    }


def test_a_model_may_be_asked_for_in_one_piece() -> None:
    fused = made(translator()).fused
    assert list(in_one(fused).main.inputs) == ["tgt", "src", "src_mask"]
