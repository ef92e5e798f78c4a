"""Importing a config: refusals with their places, ties that the weights beside it decide."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import archspec
from archspec.source.diagnostic import Diagnostic
from compiler.importers.families import known_types
from compiler.importers.imported import Imported, import_config, is_config

LLAMA = {
    "model_type": "llama",
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "intermediate_size": 12,
    "vocab_size": 11,
}


def config(folder: Path, said: Any) -> Path:
    text = said if isinstance(said, str) else json.dumps(said, indent=2)
    (folder / "config.json").write_text(text)
    return folder


def problem(folder: Path, said: Any) -> Diagnostic:
    found = import_config(config(folder, said))
    assert not isinstance(found, Imported)
    (only,) = found
    return only


def good(folder: Path, said: Any = LLAMA) -> Imported:
    found = import_config(config(folder, said))
    assert isinstance(found, Imported), found
    return found


UNLIKE = {
    "esm": "its class leaves the vocabulary open",
    "deberta-v2": "its class has no relative positions, which is what all published ones are about",
    "mt5": "its class ties a head that published files hold apart",
}
"""Types whose class defaults are no model that was published, and why."""


WITHOUT_DEFAULT = {"deepseek_v2": {"num_experts_per_tok": 6}}
"""What a config of transformers leaves open and no model can do without."""


@pytest.mark.parametrize("kind", sorted(known_types().keys() - UNLIKE.keys()))
def test_a_config_that_says_nothing_is_its_class_default(kind: str, tmp_path: Path) -> None:
    """Transformers' own defaults are the oracle: the same spec as with all of them written."""
    import transformers

    needed = WITHOUT_DEFAULT.get(kind, {})
    bare = good(tmp_path, {"model_type": kind, **needed}).spec
    whole = transformers.AutoConfig.for_model(kind, **needed).to_dict()
    written = good(tmp_path, {k: v for k, v in whole.items() if k != "architectures"}).spec
    assert bare == written


@pytest.mark.parametrize("kind", ["qwen2", "qwen2_moe", "qwen3", "smollm3"])
def test_layers_that_slide_have_no_window_where_none_is_used(kind: str, tmp_path: Path) -> None:
    said = {"model_type": kind, "num_hidden_layers": 4, "sliding_window": 8}
    types = ["full_attention", "sliding_attention"] * 2
    specs = [
        good(tmp_path, {**said, "use_sliding_window": used, "layer_types": kinds}).spec
        for used, kinds in ((False, types), (False, ["full_attention"] * 4), (True, types))
    ]
    assert specs[0] == specs[1] != specs[2]


@pytest.mark.parametrize(
    ("text", "line"),
    [("{", 1), ('{"model_type": "llama",\n "a": 1,\n}', 3), ("[1]", 1), ("{}", 1), ("", 1)],
)
def test_what_is_no_config(text: str, line: int, tmp_path: Path) -> None:
    found = problem(tmp_path, text)
    assert (found.code, found.primary.span.line) == ("AR0720", line)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(b'{"model_type": "\xff"}')
    found = import_config(tmp_path)
    assert isinstance(found, tuple)
    assert found[0].code == "AR0720"


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    assert problem(tmp_path, "[" * 100_000).code == "AR0720"


def test_an_unknown_type_names_the_closest_family(tmp_path: Path) -> None:
    misspelt = problem(tmp_path, {**LLAMA, "model_type": "lama"})
    assert (misspelt.code, misspelt.primary.span.line) == ("AR0721", 2)
    assert "`llama`" in misspelt.help
    alike = problem(tmp_path, {"model_type": "own", "n_embd": 8, "n_head": 2, "n_positions": 16})
    assert "closest family" in alike.help


@pytest.mark.parametrize(
    "said",
    [{}, {"hidden_size": 8}, {"conv_kernel": 4, "vocab_size": 8}, {"part": {"model_type": []}}],
)
def test_an_unknown_type_that_is_like_none_is_told_so(said: Any, tmp_path: Path) -> None:
    found = problem(tmp_path, {"model_type": "own", **said})
    assert "no family here is like it" in found.help


@pytest.mark.parametrize(
    ("kind", "family"),
    [("electra", "albert"), ("m2m_100", "bart"), ("speech_to_text", "whisper")],
)
def test_words_by_any_name_tell_the_closest_family(kind: str, family: str, tmp_path: Path) -> None:
    """Each is built like that family; the other names of a word and all that say nothing of the
    architecture do not count."""
    import transformers

    said = transformers.AutoConfig.for_model(kind).to_dict()
    assert f"`{family}`" in problem(tmp_path, {**said, "model_type": "own"}).help


@pytest.mark.parametrize("kind", ["gemma3", "llava", "qwen2_audio"])
def test_an_unknown_type_around_a_known_one_says_which(kind: str, tmp_path: Path) -> None:
    """As transformers writes models of several parts: each has a config inside the whole one's."""
    import transformers

    said = transformers.AutoConfig.for_model(kind).to_dict()
    whole = problem(tmp_path, json.loads(json.dumps(said)))
    assert whole.code == "AR0721"
    found = re.findall(r"`(\w+)` \(`(\w+)`\)", whole.help)
    assert found
    for word, inner in found:
        assert said[word]["model_type"] == inner
        good(tmp_path, said[word])


def test_quantised_weights_are_no_matter_of_the_spec(tmp_path: Path) -> None:
    plain = good(tmp_path)
    quantised = good(tmp_path, {**LLAMA, "quantization_config": {"quant_method": "fp8"}})
    assert quantised.spec == plain.spec
    (warning,) = quantised.warnings
    assert (warning.code, warning.severity) == ("AR0930", "warning")
    assert "`fp8`" in warning.primary.text


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    said = {**LLAMA, "hidden_act": "mish", "num_attention_heads": 0, "use_qk_norm": True}
    found = import_config(config(tmp_path, said))
    assert isinstance(found, tuple)
    assert [each.code for each in found] == ["AR0723", "AR0723", "AR0722"]


def test_an_architecture_that_is_no_language_model(tmp_path: Path) -> None:
    said = {**LLAMA, "architectures": ["LlamaForTokenClassification"]}
    assert problem(tmp_path, said).code == "AR0723"


def test_a_bare_model_has_no_head(tmp_path: Path) -> None:
    found = good(tmp_path, {**LLAMA, "architectures": ["LlamaModel"]})
    assert list(found.spec["graph"]) == ["tok", "h", "final"]
    archspec.load(found.spec)


def test_the_text_reads_as_the_mapping(tmp_path: Path) -> None:
    found = good(tmp_path)
    (tmp_path / "spec.yaml").write_text(found.text)
    assert archspec.load(tmp_path / "spec.yaml").graph == archspec.load(found.spec).graph


@pytest.mark.parametrize(
    ("path", "name"),
    [("Org/Tiny Llama_1.1", "tiny-llama-1.1"), ("", "folder"), ("../7b", "folder")],
)
def test_a_model_is_called_what_it_is_published_as(path: str, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert good(folder, {**LLAMA, "_name_or_path": path}).spec["name"] == name


TABLE = np.arange(88, dtype="f4").reshape(11, 8)
TIES = [
    (True, {"lm_head.weight": TABLE}, {"tie": "tok"}, 0),
    (True, {"lm_head.weight": TABLE + 1}, {"vocab": "vocab"}, 1),
    (True, {}, {"tie": "tok"}, 0),
    (False, {}, {"tie": "tok"}, 1),
    (False, {"lm_head.weight": TABLE + 1}, {"vocab": "vocab"}, 0),
    (False, {"lm_head.weight": TABLE}, {"vocab": "vocab"}, 0),
]


@pytest.mark.parametrize(("tied", "head", "wanted", "warnings"), TIES)
def test_the_weights_decide_a_tie(
    tied: bool, head: dict[str, Any], wanted: dict[str, str], warnings: int, tmp_path: Path
) -> None:
    save_file({"model.embed_tokens.weight": TABLE, **head}, tmp_path / "model.safetensors")
    found = good(tmp_path, {**LLAMA, "tie_word_embeddings": tied})
    assert found.spec["graph"]["logits"]["unembed"] == wanted
    assert [each.code for each in found.warnings] == ["AR0725"] * warnings


def test_a_json_file_with_a_graph_is_a_spec(tmp_path: Path) -> None:
    config(tmp_path, LLAMA)
    assert is_config(tmp_path / "config.json")
    (tmp_path / "spec.json").write_text(json.dumps(good(tmp_path).spec))
    assert not is_config(tmp_path / "spec.json")
