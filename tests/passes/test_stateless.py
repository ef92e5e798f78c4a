"""The full-sequence form, as text, and the laws it keeps."""

from collections.abc import Mapping
from typing import Any

import pytest

import archspec
from compiler.ir.graph import Repeat
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import as_poly
from compiler.ir.text import program_text
from compiler.lower import lower
from compiler.passes.fold import fold
from compiler.passes.fuse import fuse
from compiler.passes.stateless import stateless

ROTARY = {"heads": 2, "mask": "causal", "rope": {"theta": 100}}

DECODER: Mapping[str, Any] = {
    "name": "decoder",
    "inputs": {"ids": "tokens"},
    "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
    "graph": {
        "tok": {"embed": {"vocab": 11, "dim": 8}, "in": "ids"},
        "h": {"stack": {"repeat": 3, "layer": {"attn": {"attention": ROTARY}}}},
        "logits": {"unembed": {"vocab": 11}},
    },
}
PADDED: Mapping[str, Any] = {**DECODER, "inputs": {"ids": {"tokens": {"padded": True}}}}
ALTERNATING: Mapping[str, Any] = {
    **DECODER,
    "graph": {
        "tok": {
            "embed": {"vocab": 11, "dim": 8, "positions": {"learned": 5}},
            "in": "ids",
        },
        "h": {
            "stack": {
                "repeat": 4,
                "layer": {
                    "attn": {"attention": ROTARY},
                    "mlp": {"mlp": {"hidden": 16, "act": "relu"}},
                },
                "cycle": [{}, {"attn.rope": "none"}],
            }
        },
        "logits": {"unembed": {"tie": "tok"}},
    },
}
TRANSLATOR: Mapping[str, Any] = {
    "name": "translator",
    "inputs": {"src_ids": {"tokens": {"padded": True}}, "tgt_ids": "tokens"},
    "defaults": {"norm": {"layer": 1e-5}, "norm_at": "post"},
    "graph": {
        "src": {
            "embed": {"vocab": 11, "dim": 8, "positions": {"sinusoid": {"max": 9}}},
            "in": "src_ids",
        },
        "memory": {"stack": {"repeat": 2, "layer": {"self": {"attention": {"heads": 2}}}}},
        "tgt": {
            "embed": {"share": "src", "positions": {"sinusoid": {"max": 9}}},
            "in": "tgt_ids",
        },
        "dec": {
            "stack": {
                "repeat": 2,
                "layer": {
                    "self": {"attention": {"heads": 2, "mask": "causal"}},
                    "cross": {"attention": {"heads": 2, "source": "memory"}},
                },
            }
        },
        "logits": {"unembed": {"tie": "src"}},
    },
}
ENCODER: Mapping[str, Any] = {
    **TRANSLATOR,
    "inputs": {"src_ids": {"tokens": {"padded": True}}},
    "graph": {name: TRANSLATOR["graph"][name] for name in ("src", "memory")},
}
CACHED = {
    "decoder": DECODER,
    "padded": PADDED,
    "alternating": ALTERNATING,
    "translator": TRANSLATOR,
}

DECODER_TEXT = """\
program decoder
  B  batch
  T  positions
  V = 11  vocabulary
  D = 8  width
  H = 2  query heads
  K = 4  head width
  L = 3  layers

graph h.layer.attn(x: float[B T D], angle: float[T K])
  norm: float[B T D] = RmsNorm eps=1e-05 weight=True multiply=before_cast(x)
  q: float[B T H*K] = Linear O=H*K(norm)
  q_heads: float[B H T K] = SplitHeads H=H K=K(q)
  k: float[B T H*K] = Linear O=H*K(norm)
  k_heads: float[B H T K] = SplitHeads H=H K=K(k)
  v: float[B T H*K] = Linear O=H*K(norm)
  v_heads: float[B H T K] = SplitHeads H=H K=K(v)
  q_turned: float[B H T K] = Rotate pairs=halves(q_heads, angle)
  k_turned: float[B H T K] = Rotate pairs=halves(k_heads, angle)
  sdpa: float[B H T K] = ScaledDotProductAttention causal=True(q_turned, k_turned, v_heads, -)
  merge: float[B T H*K] = MergeHeads(sdpa)
  o: float[B T D] = Linear O=D(merge)
  add: float[B T D] = Add(x, o)
  return x=add

graph h.layer(x: float[B T D], angle: float[T K])
  attn: float[B T D] = call h.layer.attn(x, angle)
  return x=attn

graph main(ids: int[B T])
  tok: float[B T D] = Embedding V=V D=D(ids)
  angle: float[T K] = RopeAngles K=K theta=100.0 pairs=halves(tok, -)
  h: float[B T D] = repeat 3 x [h.layer] from 0(tok, angle)
  logits: float[B T V] = Linear O=V(h)
  return logits
"""


def lowered(spec: Mapping[str, Any]) -> Program:
    program = lower(archspec.load(spec))
    assert isinstance(program, Program), program
    return program


def test_a_decoder_without_its_cache_as_text() -> None:
    assert program_text(stateless(lowered(DECODER))) == DECODER_TEXT


@pytest.mark.parametrize("name", CACHED)
def test_nothing_of_a_cache_is_left(name: str) -> None:
    program = lowered(CACHED[name])
    assert "CacheUpdate" in program_text(program)
    after = stateless(fuse(fold(program)))
    text = program_text(after)
    assert "CacheUpdate" not in text
    assert "CausalMask" not in text or name == "padded"
    for graph in after.graphs.values():
        assert not {"kv", "pos"} & set(graph.inputs)
        letters = {letter for node in graph for t in node.types for letter in t.count.letters}
        assert letters <= set(after.key.key)
        assert not any(node.what.sliced for node in graph if isinstance(node.what, Repeat))


@pytest.mark.parametrize("name", CACHED)
def test_types_are_what_the_operators_infer(name: str) -> None:
    program = stateless(fold(lowered(CACHED[name])))
    for graph in program.graphs.values():
        for node in graph:
            if isinstance(node.what, Operator):
                assert node.what.infer(graph.types(node.inputs), program.key) == node.types


@pytest.mark.parametrize("name", CACHED)
def test_every_call_and_repeat_passes_what_its_graph_takes(name: str) -> None:
    program = stateless(fold(lowered(CACHED[name])))
    for graph in program.graphs.values():
        for node in graph:
            if not isinstance(node.what, Repeat):
                continue
            for body, wires in zip(node.what.bodies, node.what.wires, strict=True):
                callee = program.graphs[body]
                wanted = callee.types(callee.inputs.values())
                given = graph.types([node.inputs[at] for at in wires])
                assert list(map(str, given)) == list(map(str, wanted))
            read = {at for wires in node.what.wires for at in wires}
            assert read == set(range(len(node.inputs)))


@pytest.mark.parametrize("name", CACHED)
def test_parameters_stay(name: str) -> None:
    program = lowered(CACHED[name])
    before, after = program.parameters(), stateless(program).parameters()
    assert list(before) == list(after)
    for path, found in before.items():
        assert after[path].init == found.init
        assert [as_poly(n) for n in after[path].shape] == [as_poly(n) for n in found.shape]


@pytest.mark.parametrize("spec", [ENCODER, *CACHED.values()])
def test_without_a_cache_nothing_changes(spec: Mapping[str, Any]) -> None:
    program = lowered(spec)
    once = program if spec is ENCODER else stateless(program)
    again = stateless(once)
    assert program_text(again) == program_text(once)
    assert {n: g.structure() for n, g in again.graphs.items()} == {
        n: g.structure() for n, g in once.graphs.items()
    }
