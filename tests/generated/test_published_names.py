"""Every spec of a released model says whose files it is built with, and they fill it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import archspec
from archspec.source.span import Span
from compiler.importers.checkpoint import Checkpoint
from compiler.importers.families import known_types
from compiler.importers.fill import Filled, fill
from compiler.importers.layout import lay_out
from compiler.importers.lazy import Lazy
from compiler.importers.operators import Shape
from compiler.pipeline.reading import Reading, reading_of
from compiler.verify.compiled import Compiled, compiled
from tests.generated.counted import LEFT_OUT, Model
from tests.generated.named import MODEL_TYPES, NAMED, UNPUBLISHED
from tests.shipped import DISTINCT, ROOT, SHIPPED

RELEASED = [
    path
    for path in SHIPPED
    if "/history/" not in path and not Path(path).stem.startswith(UNPUBLISHED)
]
SPELT_OUT = ("specs/encoder/minilm-l6.yaml", "specs/encoder/minilm-l12.yaml")
"""Specs with rename rules in the place of a family's name."""

FEW = 4
"""Layers of a model that is cut, which has experts enough."""

HELD = {"specs/encoder-decoder/t5-v1.1-small.yaml": "lm_head.weight"}
"""What a released file holds, where transformers 5.24 ties it whatever the config says."""

NO_PARAMETERS = (*LEFT_OUT, "inv_freq")


def model_type(path: str) -> str:
    """What config.json calls a released model, by the longest beginning that is known."""
    name = Path(path).stem
    return MODEL_TYPES[max((b for b in MODEL_TYPES if name.startswith(b)), key=len)]


@pytest.mark.parametrize("path", [path for path in RELEASED if path not in SPELT_OUT])
def test_a_spec_says_whose_files_it_is_built_with(path: str) -> None:
    weights = archspec.load(ROOT / path).weights
    assert weights is not None
    assert weights.family == known_types()[model_type(path)].family


@pytest.mark.parametrize("path", SPELT_OUT)
def test_rules_may_be_spelt_out(path: str) -> None:
    weights = archspec.load(ROOT / path).weights
    assert weights is not None
    assert weights.rules


@pytest.mark.parametrize("path", sorted({*SHIPPED} - {*RELEASED}))
def test_what_has_no_file_names_no_family(path: str) -> None:
    """But for the ladder of language models, whose first rung is GPT-2."""
    weights = archspec.load(ROOT / path).weights
    assert (weights is not None) == path.endswith("/11-gpt-ladder.yaml")


def test_every_distinct_spec_is_held_against_transformers() -> None:
    assert {path for path in RELEASED if path in DISTINCT} <= set(NAMED)


@pytest.mark.parametrize("path", NAMED)
def test_published_files_fill_a_spec_and_it_fills_them(path: str) -> None:
    """Each parameter is of one tensor of the file, and every tensor of the file is of one."""
    theirs, made = cut(path)
    reading = reading_of(made.spec, made.program, made.fused)
    assert theirs.config.model_type == model_type(path)
    file = in_file(theirs, HELD.get(path, ""))
    owners = {name: shape for name, shape in reading.shapes.items() if name not in reading.ties}
    filled = fill(
        reading.shapes,
        Checkpoint(Path("model.safetensors"), promised(file)),
        rules=reading.rules,
        ties=reading.ties,
        sizes=reading.sizes,
    )
    assert isinstance(filled, Filled), filled
    assert set(filled.sources) == set(owners)
    left_out = {name for name in file if any(part in name for part in NO_PARAMETERS)}
    assert written(reading, owners, made.spec.span) == {
        n: file[n] for n in file if n not in left_out
    }


def cut(path: str) -> tuple[Any, Compiled]:
    """A model of transformers and our compiled spec, both cut where there are many experts."""
    model, spec = NAMED[path], archspec.load(ROOT / path)
    if "n_experts" in spec.dims and "layer_types" not in model.sizes:
        model = Model(model.kind, {**model.sizes, "num_hidden_layers": FEW})
        spec = archspec.load(ROOT / path, set=[f"n_layers={FEW}"])
    made = compiled(spec)
    assert isinstance(made, Compiled), made
    return model.made(), made


def in_file(theirs: Any, held: str) -> dict[str, Shape]:
    """The tensors that transformers would save: a tied one once, and by its released name."""
    from transformers.core_model_loading import revert_weight_conversion

    state: dict[str, Any] = theirs.state_dict(keep_vars=True)
    first = {id(tensor): name for name, tensor in reversed(state.items())}
    once = {n: tensor for n, tensor in state.items() if first[id(tensor)] == n or n == held}
    saved = revert_weight_conversion(theirs, once)
    return {released(name): tuple(tensor.shape) for name, tensor in saved.items()}


def released(name: str) -> str:
    """Transformers still writes the norms of some as BERT's once were."""
    return name.replace(".gamma", ".weight").replace(".beta", ".bias")


def written(reading: Reading, owners: Mapping[str, Shape], place: Span) -> dict[str, Shape]:
    """The tensors that `archc export-weights` would write."""
    assert reading.rules is not None
    made = lay_out(
        promised(owners), reading.rules, sizes=reading.sizes, ties=reading.ties, place=place
    )
    assert isinstance(made, Mapping), made
    return {name: tensor.shape for name, tensor in made.items()}


def promised(shapes: Mapping[str, Shape]) -> dict[str, Lazy]:
    """Tensors that nobody reads, as nobody may: one that is read twice would be compared."""
    return {name: Lazy(shape, "F32", never) for name, shape in shapes.items()}


def never() -> Any:
    raise AssertionError("a parameter is of two tensors of the file")
