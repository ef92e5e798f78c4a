"""Strings of a spec stay strings: no name, prose or path of one becomes code."""

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import archspec
from archspec import SpecError
from compiler.backends.torch import Facts, torch_source
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.module import load_module

HOSTILE = [
    '"""',
    "'''",
    '"""\nimport os\n"""',
    "\\",
    'ends with a backslash \\"""',
    '\\"""\\"""\\',
    "\\N{DASH} \\x41 \\u0041 \\",
    "{{ x }} {% raw %} {x} %s ${HOME} $(id) `id`",
    "a\nb\r\nc\td",
    "# spec: 1\n    import os",
    "\u2028\u2029\x85\x0b\x0c\x1c",
    "\u202e\u200b\ufeff",
    "naïve 模型 🦜",
    "../../../etc/passwd",
    "/absolute/path",
    "C:\\new\\table",
    '"; __import__("os").system("true"); "',
    "class",
    "torch",
    "F",
    "nn",
    "Tensor",
    "Attention",
    "Block",
    "None",
    "self",
    "0",
    " ",
    "-",
    "x" * 200,
]


def spec(name: str = "plain", about: str = "", node: str = "tok") -> dict[str, Any]:
    return {
        "name": name,
        "about": about,
        "inputs": {"ids": "tokens"},
        "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre"},
        "graph": {
            node: {"embed": {"vocab": 7, "dim": 8}, "in": "ids"},
            "h": {
                "stack": {
                    "repeat": 2,
                    "layer": {
                        "attn": {"attention": {"heads": 2, "mask": "causal"}},
                        "mlp": {"mlp": {"hidden": 16, "act": "gelu"}},
                    },
                }
            },
            "logits": {"unembed": {"tie": node}},
        },
    }


def made(source: Any) -> Compiled:
    found = compiled(archspec.load(source))
    assert isinstance(found, Compiled), found
    return found


def code(text: str, own: str) -> str:
    """The text as a tree without its docstring, its model called Model."""
    tree = ast.parse(text)
    assert isinstance(tree.body[0], ast.Expr)
    assert ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == own:
            node.name = "Model"
    return "\n".join(ast.dump(node) for node in tree.body[1:])


PLAIN = made(spec())
BENIGN = code(PLAIN.generated.text, PLAIN.generated.name)


def harmless(found: Compiled) -> None:
    generated = found.generated
    assert generated.text.isascii()
    assert generated.name.isidentifier()
    assert code(generated.text, generated.name) == BENIGN
    module = load_module(generated.text, generated.name)
    assert hasattr(module, generated.name)


@pytest.mark.parametrize("text", HOSTILE)
def test_names_of_models(text: str) -> None:
    try:
        found = made(spec(name=text))
    except SpecError as error:
        assert all(each.code.startswith("AR") for each in error.diagnostics)
    else:
        harmless(found)


@pytest.mark.parametrize("text", HOSTILE)
def test_prose(text: str) -> None:
    found = made(spec(about=text))
    harmless(found)


@pytest.mark.parametrize("text", HOSTILE)
def test_names_of_nodes(text: str) -> None:
    """A node's name becomes an attribute and a key of the state dict, or the spec is refused."""
    try:
        found = made(spec(node=text))
    except SpecError as error:
        assert all(each.code.startswith("AR") for each in error.diagnostics)
        return
    assert text.isidentifier()
    module = load_module(found.generated.text, found.generated.name)
    names = getattr(module, found.generated.name)().state_dict()
    assert f"{text}.weight" in names
    renamed = found.generated.text.replace(f"self.{text}", "self.tok")
    assert code(renamed, found.generated.name) == BENIGN


@pytest.mark.parametrize("text", HOSTILE)
def test_paths_and_commands(text: str) -> None:
    facts = Facts(text, text, text, text, text)
    generated = torch_source(PLAIN.fused, facts)
    assert code(generated.text, generated.name) == BENIGN


@settings(max_examples=60, deadline=None)
@given(name=st.text(min_size=1, max_size=40), about=st.text(max_size=200))
def test_any_text(name: str, about: str) -> None:
    try:
        found = made(spec(name, about))
    except SpecError as error:
        assert error.diagnostics
    else:
        harmless(found)


def test_what_is_hostile_would_be_seen() -> None:
    """The judge itself: one statement more, in the docstring's place or behind it, is noticed."""
    text = PLAIN.generated.text
    assert code(text + "import os\n", PLAIN.generated.name) != BENIGN
    injected = text.replace('"""plain', '"""""";import os;"""plain', 1)
    with pytest.raises(AssertionError):
        assert code(injected, PLAIN.generated.name) == BENIGN


def test_a_file_with_a_hostile_name(tmp_path: Path) -> None:
    import json

    path = tmp_path / 'x"""\nimport os\\.yaml'
    path.write_text(json.dumps(spec()))
    found = made(path)
    facts = Facts("0", str(path), found.spec.digest, f"archc build {path}", "")
    generated = torch_source(found.fused, facts)
    assert code(generated.text, generated.name) == BENIGN
    assert generated.text.isascii()
