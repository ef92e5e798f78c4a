"""Encoders and decoders in two files go on as transformers' own models do: greedy ids."""

from pathlib import Path

import pytest
import torch

import archspec
from compiler.backends.onnx import emit
from compiler.importers.fusion import fuse as joined
from compiler.importers.imported import Imported, import_config
from compiler.ir.target import Target
from compiler.passes.served import served
from compiler.pipeline.weights import weights_for
from compiler.runtime.coupled import Coupled
from compiler.runtime.generation import Wanted, generate
from compiler.runtime.opening import open_session
from compiler.runtime.roles import growing
from compiler.verify.compiled import Compiled, compiled
from tests.families import cases_biased, cases_speech, cases_translator
from tests.families.case import Case

KNOWN = {
    case.name: case
    for group in (cases_biased, cases_translator, cases_speech)
    for case in group.CASES
}
NAMES = ("t5", "mt5", "umt5", "bart", "mbart", "marian", "pegasus", "whisper")
NEW = 12


@pytest.mark.parametrize("provider", ["portable", "cpu"])
@pytest.mark.parametrize("name", NAMES)
def test_what_they_say_one_id_at_a_time(name: str, provider: str, tmp_path: Path) -> None:
    case = KNOWN[name]
    theirs = case.theirs()
    session = mine(case, theirs, Target(provider), tmp_path)  # type: ignore[arg-type]  # one
    given = dict(case.given().values)
    given["tgt_ids"] = given["tgt_ids"][:, :3]
    rows = len(given["tgt_ids"])
    arrays = {name: value.numpy() for name, value in given.items()}
    said = generate(session, arrays, growing(session), Wanted(NEW), rows=tuple(range(rows)))
    ids = given["tgt_ids"]
    with torch.no_grad():
        for _ in range(NEW):
            (logits, *_) = case.wanted(theirs, {**given, "tgt_ids": ids})
            ids = torch.cat((ids, logits[:, -1:].argmax(-1)), dim=1)
    assert [row.new for row in said] == ids[:, 3:].tolist()
    assert len({tuple(row.new) for row in said}) > 1 or rows == 1


def mine(case: Case, theirs: torch.nn.Module, target: Target, folder: Path) -> Coupled:
    """The published files as an encoder and a decoder in ONNX Runtime."""
    published = case.saved(theirs, folder / "published")
    found = import_config(published)
    assert isinstance(found, Imported), found
    (folder / "imported.yaml").write_text(found.text)
    made = compiled(archspec.load(folder / "imported.yaml"))
    assert isinstance(made, Compiled), made
    weights = weights_for(made.spec, made.program, made.fused, str(published))
    assert weights.sources is not None
    (folder / "built").mkdir()
    sources = joined(weights.sources, weights.fusions)
    emit(served(made.fused), sources, folder / "built", target=target)
    session = open_session(folder / "built", device="cpu")
    assert isinstance(session, Coupled)
    return session
