"""What a spec's words hold never becomes code and never leaves the output folder."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archspec.source.diagnostic import SpecError
from compiler.pipeline import build

PAYLOAD = "open('pwned', 'w').close()"
PROSE = [
    f'"""\n{PAYLOAD}\n"""',
    f"'''\n{PAYLOAD}\n'''",
    f'\\"""\n{PAYLOAD}',
    "ends in a backslash \\",
    'ends in a quote "',
    f"{{{{ {PAYLOAD} }}}} {{% for x in y %}}",
    "\u2028\u2029\x85 line ends; \u202e right to left; 模型 é",
    f"# spec:1\r\n{PAYLOAD}",
    "../../escape /etc/passwd \\..\\x",
    "",
]


def built(text: str) -> Path | None:
    """The output folder of a spec, or None where the language refuses it."""
    spec = Path("specs/x/tiny.yaml")
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(text, encoding="utf-8")
    try:
        build(str(spec), emit=["torch", "report", "onnx"], weights="none")
    except SpecError as error:
        assert str(error)
        return None
    return Path("generated/x/tiny")


def is_harmless(folder: Path) -> None:
    source = (folder / "model.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    assert source.isascii()
    for node in tree.body:
        assert isinstance(
            node,
            ast.Expr | ast.Import | ast.ImportFrom | ast.Assign | ast.FunctionDef | ast.ClassDef,
        )
        assert not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant)
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert not names & {"open", "exec", "eval", "__import__", "os", "sys"}
    exec(compile(tree, "model.py", "exec"), {"__name__": "model"})
    assert {path.name for path in Path().iterdir()} <= {"specs", "generated", "build"}


def spec_text(name: str = "tiny", about: str = "", node: str = "tok", dim: str = "d_model") -> str:
    return json.dumps(
        {
            "name": name,
            "about": about,
            "dims": {dim: 8},
            "inputs": {"ids": "tokens"},
            "graph": {
                node: {"embed": {"vocab": 9, "dim": dim}, "in": "ids"},
                "logits": {"unembed": {"vocab": 9}},
            },
        }
    )


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("about", PROSE)
def test_prose(about: str) -> None:
    folder = built(spec_text(about=about))
    assert folder is not None, "prose may hold anything"
    is_harmless(folder)


HARD_NAMES = [
    *filter(None, PROSE),
    "a-b",
    "class",
    "__init__",
    "torch",
    "1st",
    "x" * 300,
    "self",
    "None",
]


@pytest.mark.parametrize("word", HARD_NAMES)
@pytest.mark.parametrize("place", ["name", "node", "dim"])
def test_names_are_refused_or_harmless(place: str, word: str) -> None:
    folder = built(spec_text(**{place: word}))
    if folder is not None:
        is_harmless(folder)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    about=st.text(max_size=60),
    name=st.text(st.sampled_from("ab1._-/\\\"' \n{}#é"), min_size=1, max_size=8),
    node=st.text(st.sampled_from("ab1._-/\\\"' \n{}#é"), min_size=1, max_size=8),
)
def test_any_words(about: str, name: str, node: str) -> None:
    folder = built(spec_text(name=name, about=about, node=node))
    if folder is not None:
        is_harmless(folder)
