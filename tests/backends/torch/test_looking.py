"""What the docstring of `attend.py` says can be done, and prints the weights of every place."""

import re
import textwrap
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from compiler.backends.torch import Facts, torch_source
from compiler.passes.keep_weights import keep_weights
from compiler.passes.shapes import shapes
from compiler.verify.examples import example
from compiler.verify.module import load_module
from tests.parity.ours import spec

TINY = {"vocab": 50, "d_model": 16, "n_layers": 2, "n_heads": 2}
SPECS: dict[str, dict[str, Any]] = {
    "decoder/gpt2.yaml": TINY,
    "history/02-bahdanau-zeros.yaml": {
        "src_vocab": 30,
        "tgt_vocab": 30,
        "d_emb": 8,
        "d_h": 8,
        "d_att": 8,
    },
    "history/04-dot-product-attention.yaml": {},
}


@pytest.mark.parametrize("name", SPECS)
def test_the_docstring_of_a_kept_model_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = spec(name, **SPECS[name])
    source = torch_source(shapes(keep_weights(made.fused)), Facts("0", "", "", "", ""))
    module = load_module(source.text, source.name)
    words = module.__doc__ or ""
    assert "optimizer" not in words
    assert "kv" not in words
    (lines,) = re.findall(r"in between:\n\n((?:    .*\n)+)", words)
    state = getattr(module, source.name)().state_dict()
    loaded = SimpleNamespace(torch=SimpleNamespace(load_file=lambda path: state))
    names = {**vars(module), **example(made.spec, made.program, 2, 7).values}
    names |= {"torch": torch, "safetensors": loaded}
    exec(textwrap.dedent(lines), names)
    said = capsys.readouterr().out.splitlines()
    kept = [n for n, each in names["model"].named_modules() if hasattr(each, "kept")]
    assert {line.split()[0] for line in said} == set(kept) != set()
