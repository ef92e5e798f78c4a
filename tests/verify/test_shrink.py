from collections.abc import Sequence
from typing import Any

import pytest

import archspec
from archspec.model.stack import Stack
from archspec.source.diagnostic import Diagnostic
from compiler.verify.compiled import Compiled
from compiler.verify.examples import example
from compiler.verify.knobs import knobs
from compiler.verify.module import build, call
from compiler.verify.shrink import FITS, Sibling, shrunken, sibling
from tests.verify.models import Mapping, decoder, made

DEFAULTS = {"norm": {"rms": 1e-5}, "norm_at": "pre"}


def shrink(source: Mapping) -> Sibling:
    return shrunken(made(source), lambda more: archspec.read(source, set=more))


def runs(made: Compiled) -> None:
    """A forward of the sibling works, at lengths that its tables hold."""
    call(build(made.generated), example(made.spec, made.program, 2, 9).values)


def language(layers: Mapping, **dims: int | str) -> Mapping:
    return {
        "name": "large",
        "dims": {"V": 50000, "D": 4096, **dims},
        "inputs": {"ids": "tokens"},
        "defaults": DEFAULTS,
        "graph": {
            "tok": {"embed": {"vocab": "V", "dim": "D"}, "in": "ids"},
            "h": {"stack": layers},
            "logits": {"unembed": {"tie": "tok"}},
        },
    }


ATTENTION = {"heads": 32, "kv_heads": 8, "mask": "causal"}
MLP = {"hidden": 11008, "act": "silu", "gated": True}
LARGE: dict[str, Mapping] = {
    "literals in the layers": language(
        {"repeat": 40, "layer": {"attn": {"attention": ATTENTION}, "mlp": {"mlp": MLP}}}
    ),
    "expressions over sizes": language(
        {
            "repeat": "N",
            "layer": {
                "attn": {"attention": {"heads": "H", "head_dim": "D / H", "mask": "causal"}},
                "mlp": {"mlp": {"hidden": "round_up(8*D/3, 256)", "act": "silu"}},
            },
        },
        N=40,
        H="D / 128",
    ),
    "heads that do not divide the width": language(
        {
            "repeat": 40,
            "layer": {
                "attn": {"attention": {"heads": 24, "head_dim": 256, "mask": "causal"}},
                "mlp": {"mlp": MLP},
            },
        }
    ),
    "part of each head turns": language(
        {
            "repeat": 40,
            "layer": {
                "attn": {"attention": {**ATTENTION, "rope": {"dim": 64}}},
                "mlp": {"mlp": MLP},
            },
        }
    ),
    "three kinds of layers in turn": language(
        {
            "repeat": 40,
            "layer": {"attn": {"attention": ATTENTION}, "mlp": {"mlp": MLP}},
            "cycle": [{}, {"mlp.act": "gelu"}, {"attn.rope": {"theta": 10000}}],
        }
    ),
    "other first and last layers": language(
        {
            "repeat": 40,
            "layer": {"attn": {"attention": ATTENTION}, "mlp": {"mlp": MLP}},
            "at": {0: {"mlp.act": "gelu"}, -1: {"mlp.hidden": 4096}},
        }
    ),
    "parallel mixers": language(
        {
            "repeat": 40,
            "layer": {
                "both": {
                    "parallel": {"attn": {"attention": ATTENTION}, "mlp": {"mlp": MLP}},
                }
            },
        }
    ),
    "a learned table and a factorised one": {
        "name": "large",
        "inputs": {"ids": "tokens"},
        "defaults": DEFAULTS,
        "graph": {
            "tok": {
                "embed": {
                    "vocab": 300000,
                    "dim": 256,
                    "project": 4096,
                    "positions": {"learned": 4096},
                },
                "in": "ids",
            },
            "h": {
                "stack": {
                    "repeat": 12,
                    "layer": {"attn": {"attention": {"heads": 64}}, "mlp": {"mlp": MLP}},
                }
            },
            "logits": {"unembed": {"vocab": 300000, "project": 128}},
        },
    },
    "an image": {
        "name": "large",
        "inputs": {"pixels": {"image": [3, 448, 448]}},
        "defaults": DEFAULTS,
        "graph": {
            "x": {
                "patches": {
                    "size": 14,
                    "image": 448,
                    "dim": 4096,
                    "prefix": ["cls"],
                    "positions": "learned",
                },
                "in": "pixels",
            },
            "h": {
                "stack": {
                    "repeat": 24,
                    "layer": {"attn": {"attention": {"heads": 64}}, "mlp": {"mlp": MLP}},
                }
            },
            "cls": {"pool": "first"},
            "logits": {"linear": {"dim": 21843}},
        },
    },
    "a token that ends a text": {
        "name": "large",
        "inputs": {"ids": "tokens"},
        "defaults": DEFAULTS,
        "graph": {
            "tok": {"embed": {"vocab": 300000, "dim": 4096}, "in": "ids"},
            "h": {"stack": {"repeat": 9, "layer": {"mlp": {"mlp": MLP}}}},
            "end": {"pool": {"eos": {"ids": "ids", "token": 407}}},
        },
    },
    "sets": {
        "name": "large",
        "inputs": {"points": {"vectors": ["N", 8192]}},
        "defaults": DEFAULTS,
        "graph": {
            "h": {
                "stack": {"repeat": 9, "layer": {"attn": {"attention": {"heads": 64}}}},
                "in": "points",
            },
        },
    },
}


@pytest.mark.parametrize("name", LARGE)
def test_a_small_sibling_is_found(name: str) -> None:
    whole = made(LARGE[name])
    assert whole.parameters > FITS
    found = shrink(LARGE[name])
    assert found.made.parameters < 1_000_000
    assert variants(found.made) == variants(whole)
    runs(found.made)


def variants(made: Compiled) -> list[int]:
    """How many kinds of layers each stack has."""
    stacks = [n.component for n in made.spec.graph.values() if isinstance(n.component, Stack)]
    return [len(stack.variants) for stack in stacks]


def test_the_patches_are_what_a_person_would_set() -> None:
    found = shrink(LARGE["expressions over sizes"])
    assert {patch.partition("=")[0] for patch in found.patches} >= {"D", "V", "N"}
    again = archspec.load(LARGE["expressions over sizes"], set=found.patches)
    assert again.graph == found.made.spec.graph


def test_grouped_heads_stay_grouped() -> None:
    sizes = shrink(LARGE["literals in the layers"]).made.program.key.sizes
    assert 1 < sizes["G"] < sizes["H"]


def test_sizes_of_different_roles_differ() -> None:
    """A name that is wrong about its dimension is only seen where the dimensions differ."""
    sizes = shrink(LARGE["literals in the layers"]).made.program.key.sizes
    wide = {name: size for name, size in sizes.items() if size > 4}
    assert len(set(wide.values())) == len(wide)


def test_what_fits_is_run_as_it_is() -> None:
    whole = made(decoder())
    found = sibling(whole, lambda more: pytest.fail("read again"))
    assert found == Sibling(whole, ())


def test_what_cannot_be_made_smaller_has_no_sibling() -> None:
    whole = made(LARGE["literals in the layers"])

    def refuse(more: Sequence[str]) -> tuple[Diagnostic, ...]:
        return ()

    assert sibling(whole, refuse) is None


def test_one_size_that_must_stay_does_not_keep_the_others() -> None:
    """A reader that refuses one patch, as a limit somewhere in the spec would."""
    source = LARGE["literals in the layers"]

    def reload(more: Sequence[str]) -> Any:
        stuck = any(patch.startswith("h.layer.mlp") for patch in more)
        return () if stuck else archspec.read(source, set=more)

    found = shrunken(made(source), reload)
    assert found.made.parameters < 10_000_000
    assert found.made.program.key.sizes["M"] == 11008


def test_knobs_are_base_sizes_and_not_expressions() -> None:
    found = {knob.path: knob.role for knob in knobs(made(LARGE["expressions over sizes"]).spec)}
    assert found == {"N": "layers", "D": "width", "V": "vocab"}
