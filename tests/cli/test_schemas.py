"""Every command's `--json` has a schema that ships, and answers are what it says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compiler.cli.documents import kinds, schema_of
from compiler.cli.table import COMMANDS
from tests.cli.conftest import Archc
from tests.cli.test_documents import judged

HISTORY = Path(__file__).parents[2] / "specs" / "history"
BROKEN = Path(__file__).parents[2] / "specs" / "broken"
WRONG = str(BROKEN / "ar0310-dot-of-two-widths.yaml")
UNREAD = str(BROKEN / "ar0003-open-brace.yaml")
MIXERS = [str(HISTORY / f"14-primitives-{name}.yaml") for name in ("recurrence", "attention")]
CALLS: dict[str, list[list[str]]] = {
    "check": [["check", "SPEC"], ["check", "SPEC", WRONG], ["check", "absent.yaml"]],
    "completion": [["completion", "bash"], ["completion", "tcsh"]],
    "doctor": [["doctor"]],
    "explain": [["explain"], ["explain", "AR0214"], ["explain", "attention.heads"],
                ["explain", "op", "linear"], ["explain", "nothing"]],
    "fmt": [["fmt", "SPEC"], ["fmt", "SPEC", "--check"], ["fmt", "SPEC", UNREAD, "--check"],
            ["fmt", "-", "-"]],
    "graph": [["graph", "SPEC"], ["graph", "SPEC", "--format", "dot", "--expand"],
              ["graph", WRONG]],
    "new": [["new", "one", "--from", "decoder"], ["new", "--list"], ["new", "one"]],
    "ops": [["ops"], ["ops", "linear"], ["ops", "linnear"]],
    "primitives": [["cost", "--primitives", *MIXERS]],
    "schema": [["schema"], ["schema", "--of", "run"], ["schema", "--of", "runs"]],
    "show": [["show", "SPEC"], ["show", "SPEC", "--ir", "after:fuse"], ["show", WRONG]],
}  # fmt: skip
"""What is asked without building anything; the last call may have no answer."""


def answers(archc: Archc, calls: list[list[str]], spec: Path) -> list[Any]:
    """The documents of some calls, `SPEC` in them standing for a spec."""
    given = [[str(spec) if word == "SPEC" else word for word in call] for call in calls]
    return [json.loads(archc(*call, "--json").out) for call in given]


def test_every_command_has_a_schema() -> None:
    assert set(COMMANDS) | {"devices", "explanation", "primitives"} == set(kinds())
    for kind in kinds():
        assert schema_of(kind)["properties"]["kind"] == {"const": kind}
        assert schema_of(kind)["description"]


def test_a_part_that_several_have_is_one() -> None:
    parts: dict[str, Any] = {}
    for kind in kinds():
        for name, part in schema_of(kind).get("$defs", {}).items():
            assert parts.setdefault(name, part) == part, f"`{name}` of `{kind}`"
    assert "diagnostic" in parts


@pytest.mark.parametrize("kind", CALLS)
def test_answers_are_what_their_schema_says(kind: str, tiny: Path, archc: Archc) -> None:
    """An answer without any one of its keys, or with a value of another sort, is none."""
    documents = answers(archc, CALLS[kind], tiny)
    assert {document["kind"] for document in documents} <= {kind, "cost"}
    good = documents[0]
    assert good["ok"] is True
    own = good.keys() - {"archc", "version", "kind", "ok"}
    wrong = [{key: value for key, value in good.items() if key != gone} for gone in good]
    wrong += [{**good, key: 1.5} for key in own]
    wrong += [{**good, "kind": "other"}, {**good, "version": 2}]
    assert own
    found = judged(kind, documents + wrong)
    assert found[: len(documents)] == [[]] * len(documents)
    assert all(found[len(documents) :])


def test_built_models_answer_as_their_schemas_say(tiny: Path, archc: Archc) -> None:
    built = "build/decoder/tiny"
    place = "generated/decoder/tiny/model.py:{}"
    spec = tiny.read_text() + "budget: {parameters: 1e9}\n"
    tiny.write_text(spec)
    calls = {
        "build": [["build", "SPEC", WRONG], ["build", "SPEC", "--check"], ["build", "SPEC"]],
        "verify": [["verify", "SPEC", WRONG]],
        "attend": [["attend", built, "--ids", "1,2,3"],
                   ["attend", built, "--ids", "1,2,3", "--out", "page.html"],
                   ["attend", "nowhere", "--ids", "1"]],
    }  # fmt: skip
    for kind, asked in calls.items():
        documents = answers(archc, asked, tiny)
        assert judged(kind, documents) == [[]] * len(documents)
    source = Path(place.partition(":")[0]).read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if re.match("class ", text))
    documents = answers(archc, [["where", place.format(line)], ["where", place.format(0)]], tiny)
    assert [document["ok"] for document in documents] == [True, False]
    assert judged("where", documents) == [[], []]
    Path("generated/decoder/tiny/model.py").write_text("")
    (stale,) = answers(archc, [["build", "SPEC", "--check"]], tiny)
    assert stale["stale"]
    assert judged("build", [stale]) == [[]]


def test_checkpoints_answer_as_their_schemas_say(tiny: Path, archc: Archc) -> None:
    import transformers

    config = transformers.GPT2Config(vocab_size=50, n_positions=32, n_embd=16, n_layer=2, n_head=2)
    transformers.GPT2LMHeadModel(config).save_pretrained("gpt")
    calls = [["import", "gpt", "-o", "gpt.yaml"], ["import", "gpt"], ["import", "--list"],
             ["import", "nothing"]]  # fmt: skip
    documents = answers(archc, calls, tiny)
    assert [document["ok"] for document in documents] == [True, True, True, False]
    assert judged("import", documents) == [[]] * len(documents)
    calls = [["export-weights", "gpt.yaml", "-o", "again", "--weights", "gpt"],
             ["export-weights", "SPEC", "-o", "again", "--weights", "init"]]  # fmt: skip
    documents = answers(archc, calls, tiny)
    assert [document["ok"] for document in documents] == [True, False]
    assert judged("export-weights", documents) == [[], []]


def test_an_unknown_kind_is_told(archc: Archc) -> None:
    said = archc("schema", "--of", "runs")
    assert (said.code, said.out) == (2, "")
    assert said.err == "error: no document is of the kind `runs`\nhelp: did you mean `run`?\n"
