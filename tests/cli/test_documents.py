"""Answers of `--json` are what their shipped schemas say, as ajv judges."""

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.cli.documents import FOLDER, schema_of
from tests.archspec.test_schema import judged_by
from tests.cli.conftest import Archc

SPECS = Path(__file__).parents[2] / "specs"
PAIRS = [
    ("decoder/llama-7b", "decoder/deepseek-v3"),
    ("encoder/bert-base", "history/02-bahdanau-zeros"),
    ("vision/vit-b16-cls", "vision/vit-b16-mean"),
    ("decoder/gpt2", "decoder/gpt2"),
]


def judged(kind: str, documents: list[Any]) -> list[list[Any]]:
    """Errors of each document by ajv."""
    return judged_by(schema_of(kind), documents)


def file(name: str) -> str:
    return str(SPECS / f"{name}.yaml")


def test_differences_are_what_their_schema_says(archc: Archc, tmp_path: Path) -> None:
    calls = [[file(one), file(other)] for one, other in PAIRS]
    calls += [[file("decoder/gpt2"), "--set", "d_model=1536", "--at", "B=2,S=64"]]
    calls += [[file("decoder/gpt2"), "--set", "vocab=50304", "--growth", "parameters=0.5%"]]
    calls += [
        [file("decoder/gpt2"), "--set", "n_layers=6", "--precision", "int4:32", "--device", "l4"]
    ]
    calls += [[file("decoder/gpt2"), "--set", "n_layers=6", "--device", "l4", "--parallel", "tp=2"]]
    calls += [
        [file("decoder/gpt2"), file("decoder/absent")],
        [file("decoder/gpt2"), "--set", "x=1"],
    ]
    documents = [json.loads(archc("diff", *call, "--json").out) for call in calls]
    assert [document["ok"] for document in documents] == [True] * 8 + [False] * 2
    assert judged("diff", documents) == [[]] * len(documents)


def test_the_schema_of_differences_is_no_rubber_stamp(archc: Archc) -> None:
    good = json.loads(archc("diff", file("decoder/gpt2"), "--set", "d_model=1536", "--json").out)
    other = {**good, "totals": {"parameters": {"before": 1.5}}}
    kind = {**good, "changes": [{**good["changes"][0], "kind": "altered"}]}
    bare = {key: good[key] for key in ("archc", "version", "kind", "ok")}
    assert all(judged("diff", [other, kind, bare, {**good, "kind": "cost"}]))


def test_costs_are_what_their_schema_says(archc: Archc, tmp_path: Path) -> None:
    limits = tmp_path / "limits.yaml"
    limits.write_text('parameters: 9e9\n"kv_bytes@{device: h200, optimizer: sgd}": fits\n')
    calls = [
        [file("decoder/gpt2"), "--budget", str(limits), "--kernel", "eager"],
        [file("decoder/gpt2"), "--device", "h200", "--formulas"],
        [file("decoder/gpt2"), "--device", "h200", "--precision", "int8:zero-point"],
        [file("decoder/mixtral-8x7b"), "--device", "b200", "--at", "B=64"],
        [file("encoder/bert-base"), "--device", "l4", "--parallel", "tp=2,dp=4,zero=3"],
        [file("vision/vit-b16-cls")],
        [file("decoder/gpt2"), "--device", "h20"],
        [file("decoder/gpt2"), "--assume", "efficiency=1"],
    ]
    documents = [json.loads(archc("cost", *call, "--json").out) for call in calls]
    assert [document["ok"] for document in documents] == [True] * 6 + [False] * 2
    assert judged("cost", documents) == [[]] * len(documents)
    listed = json.loads(archc("cost", "--device", "list", "--json").out)
    assert judged("devices", [listed]) == [[]]


def test_explanations_are_what_their_schema_says(archc: Archc) -> None:
    asked = ("kv_bytes", "training_states_bytes", "h.layer.attn.sdpa", "h.3.mlp.flops")
    documents = [
        json.loads(archc("cost", file("decoder/gpt2"), "--explain", each, "--json").out)
        for each in asked
    ]
    spread = ("cost", file("decoder/gpt2"), "--parallel", "tp=2,pp=2", "--json", "--explain")
    for each in ("saved_bytes", "communication_bytes", "matmul_flops", "kv_bytes"):
        documents.append(json.loads(archc(*spread, each).out))
    assert judged("explanation", documents) == [[]] * len(documents)
    assert judged("explanation", [{**documents[0], "numbers": []}]) != [[]]


def test_pages_are_what_their_schema_says(archc: Archc, tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    calls = [[file("decoder/gpt2")], [file("decoder/gpt2"), "-o", page], ["no.yaml"]]
    documents = [json.loads(archc("report", *call, "--json").out) for call in calls]
    assert judged("report", documents) == [[]] * len(documents)
    good = documents[1]
    assert all(judged("report", [{**good, "specs": "a"}, {**good, "html": ""}, {**good, "out": 1}]))


def test_the_schema_of_costs_is_no_rubber_stamp(archc: Archc) -> None:
    good = json.loads(archc("cost", file("decoder/gpt2"), "--device", "h200", "--json").out)
    phase = {**good["device"]["phases"][0], "bound": "luck"}
    spread = json.loads(archc("cost", file("decoder/gpt2"), "--parallel", "pp=2", "--json").out)
    assert judged("cost", [spread]) == [[]]
    (stage, _) = spread["parallel"]["stages"]
    wrong = [
        {**spread, "parallel": {**spread["parallel"], "stages": [{**stage, "kv_bytes": 0.5}]}},
        {**good, "totals": {"parameters": 1.5}},
        {**good, "device": {**good["device"], "phases": [phase]}},
        {**good, "device": {**good["device"], "flops_per_second": {"bf16": "fast"}}},
        {key: good[key] for key in ("archc", "version", "kind", "ok")},
        {**good, "setting": {**good["setting"], "kernel": "flash"}},
        {**good, "budget": [{"metric": "parameters", "ok": True}]},
    ]
    assert all(judged("cost", wrong))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_every_schema_that_ships_is_printed(path: Path, archc: Archc) -> None:
    kind = path.name.partition(".")[0]
    said = archc("schema", "--of", kind)
    assert (said.code, said.err) == (0, "")
    assert json.loads(said.out) == json.loads(path.read_text()) == schema_of(kind)
    assert said.out == path.read_text()
    assert json.loads(archc("schema", "--of", kind, "--json").out)["schema"] == schema_of(kind)


def test_without_a_kind_it_is_the_language(archc: Archc) -> None:
    assert json.loads(archc("schema").out) == schema_of("spec")
