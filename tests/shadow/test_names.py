"""Children of modules may be called anything that the language lets them be."""

import pytest

from archspec.load import load
from compiler.passes.setting import Setting
from compiler.report.memory import memory_of
from compiler.shadow.module import Module
from tests.generated.test_clashing_names import may_be
from tests.passes.samples import LLAMA, lowered

FULL = Setting(recompute="full")


def names() -> list[str]:
    """What the shadow's module has itself, as far as a spec can say it."""
    found = ["layer", *dir(Module)]
    return [name for name in dict.fromkeys(found) if may_be(name)]


def kept(step: str, node: str) -> str:
    """What the small decoder keeps if its feed-forward network and its last norm are called so."""
    graph = LLAMA["graph"]
    layer = graph["h"]["stack"]["layer"]
    stack = {**graph["h"]["stack"], "layer": {"attn": layer["attn"], step: layer["mlp"]}}
    nodes = {"tok": graph["tok"], "h": {"stack": stack}, node: graph["final"]}
    spec = load({**LLAMA, "graph": {**nodes, "logits": graph["logits"]}})
    return str(memory_of(lowered(spec)).held(FULL, training=True).saved)


@pytest.mark.parametrize("name", names())
def test_a_word_of_the_shadow_names_a_child(name: str) -> None:
    assert kept(name, "last") == kept("feed", name) == kept("feed", "last")
