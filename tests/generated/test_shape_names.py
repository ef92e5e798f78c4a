"""Every tensor of generated code has the dimensions that its name ends in, whenever it runs."""

import pytest
import torch

from compiler.verify.decoding import decoded
from compiler.verify.examples import example
from compiler.verify.module import arguments, build, call
from compiler.verify.shape_names import Watch, watching
from tests.generated.samples import DECODERS, small
from tests.shipped import DISTINCT
from tests.verify.models import encoder, made


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("path", DISTINCT)
def test_names_hold(path: str, training: bool) -> None:
    made = small(path)
    model = build(made.generated).train(training)
    given = example(made.spec, made.program, 3, 10)
    with watching(made.generated.name) as watch:
        call(model, given.values)
    assert watch.wrong == []
    assert named(watch) >= annotated(made.generated.text)


@pytest.mark.parametrize("path", DECODERS)
def test_names_hold_with_a_cache(path: str) -> None:
    made = small(path)
    model = build(made.generated)
    given = example(made.spec, made.program, 3, 10)
    with torch.no_grad(), watching(made.generated.name) as watch:
        decoded(made, model, given, [6, 3, 1])
    assert watch.wrong == []
    assert {"kv" in name for _, name in watch.checked} == {True, False}
    assert any("kv" in name for name in arguments(model.forward))


def test_a_function_serves_heads_of_another_width() -> None:
    """Letters of a function stand for the widths of whoever calls it."""
    bias = {"disentangled": {"max_distance": 8, "buckets": 4}}
    narrow = {"attention": {"heads": 4, "head_dim": 2}}
    wide = {"attention": {"heads": 2, "position_bias": bias}}
    source = encoder()
    source["graph"]["h"]["stack"] |= {"layer": {"a": narrow}, "cycle": [{}, {"a": wide}]}
    found = made(source)
    with watching(found.generated.name) as watch:
        call(build(found.generated), example(found.spec, found.program, 3, 10).values)
    assert watch.wrong == []
    assert any(function == "distance_scores" for function, _ in watch.checked)


def named(watch: Watch) -> int:
    return len({name for _, name in watch.checked})


def annotated(text: str) -> int:
    """How many different tensors the signatures of the text promise to be there."""
    words = {word.strip("(), ") for word in text.split() if word.endswith(":") and "_" in word}
    return len({w for w in words if w.rstrip(":").rpartition("_")[2].isupper()} and words) // 4
