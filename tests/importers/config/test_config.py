import pytest

from compiler.importers.config.words import ALIASES, IGNORED, MEANINGS
from tests.importers.config.reading import codes, reading

SINCE_GENERATION_CONFIG = {
    "use_mtp",
    "continuous_batching_config",
    "speculation_type",
    "assistant_ensemble_weight",
}
"""Younger than the file that generation has of its own: no config.json has these."""


def test_a_word_is_found_under_its_aliases_and_in_the_defaults() -> None:
    config, _ = reading({"n_embd": 12}, {"hidden_size": 7, "vocab_size": 9})
    assert config.whole("hidden_size") == 12
    assert config.whole("vocab_size") == 9
    assert config.get("head_dim") is None
    assert config.get("head_dim", 5) == 5


def test_a_written_null_overrules_a_default() -> None:
    config, _ = reading({"sliding_window": None}, {"sliding_window": 4096})
    assert config.optional("sliding_window") is None


def test_two_words_for_one_thing_must_agree() -> None:
    config, report = reading({"n_layer": 2, "num_layers": 3, "n_head": 4, "num_heads": 4})
    assert (config.whole("num_hidden_layers"), config.whole("num_attention_heads")) == (2, 4)
    config.report_unread()
    (found,) = report.diagnostics
    assert "`num_layers`" in found.message


def test_what_nobody_reads_is_an_error_where_it_stands() -> None:
    config, report = reading({"hidden_size": 4, "use_qk_norm": True, "alibi": False, "x": {}})
    config.whole("hidden_size")
    config.report_unread()
    (found,) = report.diagnostics
    assert (found.code, found.primary.span.line) == ("AR0722", 3)
    assert "qk_norm" in found.help


def test_keys_of_nested_mappings_count_one_by_one() -> None:
    config, report = reading({"rope_scaling": {"rope_type": "linear", "factor": 2.0, "new": 1}})
    scaling = config.nested("rope_scaling")
    assert (scaling.get("rope_type"), scaling.number("factor")) == ("linear", 2.0)
    config.report_unread()
    (found,) = report.diagnostics
    assert "`new`" in found.message
    assert found.primary.span.line == 5


def test_a_nested_mapping_that_nobody_asks_for_is_one_unread_key() -> None:
    config, report = reading({"text_config": {"a": 1, "b": 2}})
    config.report_unread()
    assert codes(report) == ["AR0722"]


def test_what_says_nothing_of_the_architecture_may_stay_unread() -> None:
    config, report = reading(
        {"eos_token_id": 2, "use_cache": True, "_private": 1, "id2label": {0: 1}}
    )
    config.report_unread()
    assert codes(report) == []


def test_what_tells_how_text_is_generated_may_stay_unread() -> None:
    """Releases up to 2023 wrote it into config.json; transformers' own list is the oracle."""
    import transformers

    generation = transformers.GenerationConfig().to_dict()
    later = {key for key in generation if key.startswith("_") or key in SINCE_GENERATION_CONFIG}
    said = dict.fromkeys(generation.keys() - later, 3)
    config, report = reading({**said, "forced_decoder_ids": [[1, 50259]]})
    config.report_unread()
    assert codes(report) == []
    assert len(said) > 50


def test_a_misspelt_key_is_told_what_was_asked_for() -> None:
    config, report = reading({"head_dimm": 8, "hidden_act": "relu", "bottleneck": 2})
    config.get("head_dim")
    config.activation()
    config.report_unread()
    misspelt, foreign = report.diagnostics
    assert misspelt.help == "did you mean `head_dim`?"
    assert "take it out of a copy" in foreign.help


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "8", [8]])
def test_what_is_no_size_is_refused(value: object) -> None:
    config, report = reading({"hidden_size": value})
    assert config.whole("hidden_size") == 1
    (found,) = report.diagnostics
    assert (found.code, found.primary.span.line) == ("AR0723", 2)


def test_what_is_needed_and_absent_is_missing() -> None:
    config, report = reading({})
    config.whole("hidden_size")
    assert codes(report) == ["AR0724"]


def test_activations_go_by_our_words() -> None:
    config, report = reading({"activation_function": "gelu_new"})
    assert config.activation() == "gelu_tanh"
    assert config.activation(means={"gelu_new": "gelu"}) == "gelu"
    other, found = reading({"hidden_act": "mish"})
    other.activation()
    assert (codes(report), codes(found)) == ([], ["AR0723"])


def test_switches_that_have_one_way_here() -> None:
    config, report = reading({"scale": True, "other": 3})
    config.only("scale", True, "never")
    config.only("other", 4, "four it is")
    config.only("absent", "anything", "never")
    assert codes(report) == ["AR0723"]


def test_no_word_is_both_read_and_ignored_by_itself() -> None:
    aliases = {alias for names in ALIASES.values() for alias in names}
    assert not aliases & set(IGNORED)
    assert not set(MEANINGS) & set(IGNORED)
