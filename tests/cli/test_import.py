"""`archc import` writes a spec that builds with its checkpoint, or says why and writes nothing."""

import json
from pathlib import Path

import pytest

from archspec.format import format_text
from tests.cli.conftest import Archc

LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 16,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "intermediate_size": 24,
    "vocab_size": 11,
    "max_position_embeddings": 32,
}


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tiny-llama"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA, indent=2))
    return folder


def test_the_spec_goes_to_stdout_in_canonical_form(archc: Archc, published: Path) -> None:
    said = archc("import", str(published))
    assert (said.code, said.err) == (0, "")
    assert format_text(said.out) == said.out
    assert "weights: llama" in said.out
    assert archc("import", str(published / "config.json"), "-o", "-").out == said.out


def test_the_written_spec_checks_and_builds_with_its_weights(archc: Archc, published: Path) -> None:
    import transformers

    config = transformers.AutoConfig.from_pretrained(published)
    transformers.LlamaForCausalLM(config).save_pretrained(published, max_shard_size="4KB")
    assert len(list(published.glob("*.safetensors"))) > 1
    assert archc("import", str(published), "-o", "tiny.yaml").code == 0
    assert archc("fmt", "--check", "tiny.yaml").code == 0
    said = archc("build", "tiny.yaml", "--weights", str(published), "--out", "made")
    assert said.code == 0, said.err
    assert Path("made/tiny/model.safetensors").is_file()


def test_what_is_wrong_in_the_spec_stands_in_its_text(archc: Archc, published: Path) -> None:
    said = {**LLAMA, "num_attention_heads": 3, "head_dim": 4, "num_key_value_heads": 2}
    (published / "config.json").write_text(json.dumps(said))
    told = archc("import", str(published / "config.json")).err
    assert "config.json as a spec:" in told
    assert "kv_heads: n_kv_heads" in told  # as YAML, in the form that would have been written
    assert archc("cost", str(published / "config.json")).err == told


def test_the_next_step_names_weights_that_are_there(archc: Archc, published: Path) -> None:
    assert "`archc build a.yaml`" in archc("import", str(published), "-o", "a.yaml").err
    (published / "model.safetensors").write_bytes(b"")
    told = archc("import", str(published), "-o", "b.yaml").err
    assert f"`archc build b.yaml --weights {published}`" in told
    quantised = {**LLAMA, "quantization_config": {"quant_method": "mxfp4"}}
    (published / "config.json").write_text(json.dumps(quantised))
    told = archc("import", str(published), "-o", "c.yaml").err
    assert "warning[AR0930]" in told
    assert "`archc build c.yaml`" in told


def test_a_file_is_never_replaced(archc: Archc, published: Path) -> None:
    Path("mine.yaml").write_text("mine")
    said = archc("import", str(published), "-o", "mine.yaml")
    assert (said.code, Path("mine.yaml").read_text()) == (2, "mine")


def test_a_refusal_writes_nothing(archc: Archc, published: Path) -> None:
    (published / "config.json").write_text(json.dumps({**LLAMA, "alibi": True}, indent=2))
    said = archc("import", str(published), "-o", "tiny.yaml")
    assert (said.code, said.out) == (1, "")
    assert "error[AR0722]" in said.err
    assert not Path("tiny.yaml").exists()
    document = json.loads(archc("import", str(published), "--json").out)
    assert [each["code"] for each in document["diagnostics"]] == ["AR0722"]


@pytest.mark.parametrize("name", ["nowhere", "empty", ""])
def test_nothing_to_import(name: str, archc: Archc, published: Path) -> None:
    Path("empty").mkdir()
    assert archc("import", *filter(None, [name])).code == 2


def test_list_prints_a_model_type_a_line(archc: Archc) -> None:
    lines = archc("import", "--list").out.splitlines()
    assert [line.split() for line in lines if line.startswith("mistral ")] == [["mistral", "llama"]]
    types = json.loads(archc("import", "--list", "--json").out)["model_types"]
    assert [line.split()[0] for line in lines] == sorted(types)


def test_cost_imports_on_the_fly(archc: Archc, published: Path) -> None:
    assert archc("import", str(published), "-o", "tiny-llama.yaml").code == 0
    there = archc("cost", str(published / "config.json"))
    here = archc("cost", "tiny-llama.yaml")
    assert (there.code, there.err) == (0, "")
    assert there.out == here.out
    assert archc("cost", str(published)).out == here.out
