"""The shipped JSON Schema is current, is valid 2020-12, and judges specs as the language does."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from archspec.components.keys import known
from archspec.model.catalog import COMPONENTS
from archspec.schema import json_schema
from tests.archspec.language_server import HOME, installed

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "archspec" / "archspec.schema.json"
SPECS = sorted((ROOT / "specs").glob("*/*.yaml"))
AJV = """
const Ajv = require('ajv/dist/2020'); const fs = require('fs');
const {schema, documents} = JSON.parse(fs.readFileSync(0, 'utf8'));
const ajv = new Ajv({strict: false, allErrors: true});
const validate = ajv.compile(schema);
console.log(JSON.stringify(documents.map(d => validate(d) ? [] : validate.errors)));
"""


def judged(documents: list[Any]) -> list[list[Any]]:
    """Errors of each document by the schema of specs."""
    return judged_by(json_schema(), documents)


def judged_by(schema: dict[str, Any], documents: list[Any]) -> list[list[Any]]:
    """Errors of each document by a schema and ajv, an independent validator of 2020-12."""
    installed()
    node = shutil.which("node")
    assert node is not None
    request = json.dumps({"schema": schema, "documents": documents})
    done = subprocess.run(
        [node, "-e", AJV], input=request, cwd=HOME, capture_output=True, text=True, check=True
    )
    answer: list[list[Any]] = json.loads(done.stdout)
    return answer


def test_the_shipped_file_is_current(request: pytest.FixtureRequest) -> None:
    expected = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    if request.config.getoption("--update-golden"):
        SHIPPED.write_text(expected, encoding="utf-8")
    assert SHIPPED.read_text(encoding="utf-8") == expected, "run pytest --update-golden"


def test_every_field_is_described() -> None:
    definitions = json_schema()["$defs"]
    for word, kind in COMPONENTS.items():
        assert definitions[word]["description"], word
        for name, field in known(kind).items():
            assert kind.model_fields[field].description, f"{word}.{name}"
            assert name in json.dumps(definitions[word]) or name in ("table", "rate", "kind", "dim")


def test_specs_are_valid() -> None:
    paths = [path for path in SPECS if path.parent.name != "broken"]
    documents = [YAML(typ="safe", pure=True).load(path) for path in paths]
    assert judged(documents) == [[]] * len(documents)


BROKEN: dict[str, Any] = {
    "unknown key": {"name": "x", "grph": {}},
    "word": {"graph": {"a": {"mlp": {"hidden": 4, "act": "glu"}}}},
    "two small": {"graph": {"a": {"attention": {"heads": 0}}}},
    "required": {"graph": {"a": {"attention": {"mask": "full"}}}},
    "expression": {"dims": {"a": "4 * $x"}},
    "no component": {"graph": {"a": {"in": "x"}}},
    "in a layer": {
        "graph": {"a": {"stack": {"repeat": 1, "layer": {"b": {"pool": "mean"}}}}},
    },
    "letters": {"graph": {"a": {"attention": {"heads": 4, "bias": "qx"}}}},
    "shape": {"inputs": {"x": {"image": [3, 4]}}},
    "norm": {"defaults": {"norm": {"rms": {"eps": 1e-6, "bias": True}}}},
}


def test_broken_documents_are_refused() -> None:
    for name, errors in zip(BROKEN, judged(list(BROKEN.values())), strict=True):
        assert errors, name


@pytest.mark.parametrize("form", ["4*d_model", "sqrt(d)", "2**-1", "round_up(8*d/3, 256)", "-1"])
def test_expressions_are_valid_numbers(form: str) -> None:
    assert judged([{"dims": {"a": form}}]) == [[]]
