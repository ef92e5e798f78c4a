"""Words for a model that hears: it says so and how a recording is given."""

from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.pipeline import build
from compiler.runtime.ask import ask
from compiler.runtime.request import Request
from tests.shipped import ROOT

SMALL = ("n_layers=1", "d_model=16", "n_heads=2", "d_ff=16", "vocab=50")


def test_a_model_that_hears_says_what_it_takes(tmp_path: Path) -> None:
    (spec,) = (ROOT / "specs").glob("*/whisper-tiny.yaml")
    built = build(str(spec), set=SMALL, out=str(tmp_path))
    with pytest.raises(CannotAnswer) as refused:
        ask(Path(built.written[-1].folder), Request(things=("hello there",)))
    said = refused.value
    assert said.message.startswith("the model hears recordings and is given words: it takes `")
    assert "80, 3000]" in said.message
    assert said.help == "give a recording as a `.wav` file, or an array as a `.npy` file"
