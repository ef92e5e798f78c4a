from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archspec.source.span import Span
from compiler.importers.lazy import Lazy
from compiler.importers.misfit import Misfit
from compiler.importers.rename import forward, targets_of
from compiler.importers.restore import restore
from compiler.importers.rules import Rules, parse_rules
from tests.importers.samples import Array, counted, held, lazy

SIZES = {"H": 2}


def rules_from(said: Mapping[str, object]) -> Rules:
    rules = parse_rules(said, lambda key: Span("spec.yaml", 1, 1, 1, 2))
    assert isinstance(rules, Rules), rules
    return rules


def renamed(
    rules: Rules, tensors: dict[str, Array], shapes: dict[str, tuple[int, ...]]
) -> dict[str, Array]:
    """All tensors through their rules, one key at a time."""
    made: dict[str, Array] = {}
    for key, tensor in tensors.items():
        found = rules.find(key)
        assert found is not None
        result = forward(*found, {None: lazy(tensor)}, shapes, SIZES)
        assert isinstance(result, dict), result
        made.update({name: promise.read() for name, promise in result.items()})
    return made


GPT_OSS = {
    "m.{i}.gate_up_proj": {
        "to": ["h.{i}.experts.{j}.gate.weight", "h.{i}.experts.{j}.up.weight"],
        "op": ["unstack", "transpose", "deinterleave"],
    },
    "m.{i}.qkv.*": {"to": ["h.{i}.q.*", "h.{i}.k.*", "h.{i}.v.*"], "op": "regroup(H 3 K)"},
    "m.{i}.fc.*": {"to": "h.{i}.up.*", "op": "transpose"},
    "m.{i}.w.weight": {"to": ["h.{i}.a.weight", "h.{i}.b.weight"], "op": ["split", "transpose"]},
    "m.logits_bias": {"to": "logits.bias", "op": "squeeze"},
    "m.norm.*": "final.*",
}
SHAPES = {
    **{f"h.0.experts.{j}.{part}.weight": (3, 4) for j in range(2) for part in ("gate", "up")},
    **{f"h.0.{part}.weight": (4, 5) for part in "qkv"},
    **{f"h.0.{part}.bias": (4,) for part in "qkv"},
    "h.0.up.weight": (7, 4),
    "h.0.up.bias": (7,),
    "h.0.a.weight": (5, 2),
    "h.0.b.weight": (5, 3),
    "logits.bias": (6,),
    "final.weight": (4,),
}
FILE = {
    "m.0.gate_up_proj": counted(2, 4, 6),
    "m.0.qkv.weight": counted(12, 5),
    "m.0.qkv.bias": counted(12),
    "m.0.fc.weight": counted(4, 7),
    "m.0.fc.bias": counted(7),
    "m.0.w.weight": counted(5, 5),
    "m.logits_bias": counted(1, 6),
    "m.norm.weight": counted(4),
}


def test_operators_compose_to_every_shape_of_the_model() -> None:
    made = renamed(rules_from(GPT_OSS), FILE, SHAPES)
    assert {name: array.shape for name, array in made.items()} == SHAPES


def test_stacked_transposed_interleaved_experts() -> None:
    made = renamed(rules_from(GPT_OSS), FILE, SHAPES)
    stacked = FILE["m.0.gate_up_proj"]
    np.testing.assert_array_equal(made["h.0.experts.1.gate.weight"], stacked[1, :, 0::2].T)
    np.testing.assert_array_equal(made["h.0.experts.1.up.weight"], stacked[1, :, 1::2].T)


def test_goals_are_seen_through_the_operators_after_a_split() -> None:
    made = renamed(rules_from(GPT_OSS), FILE, SHAPES)
    np.testing.assert_array_equal(made["h.0.a.weight"], FILE["m.0.w.weight"][:2].T)


def test_restore_gives_the_file_back() -> None:
    rules = rules_from(GPT_OSS)
    made = renamed(rules, FILE, SHAPES)
    back = restore(held(made), rules, SIZES).tensors
    assert set(back) == set(FILE)
    for name, promise in back.items():
        assert promise.shape == FILE[name].shape
        np.testing.assert_array_equal(promise.read(), FILE[name])


@given(st.integers(1, 12), st.booleans())
def test_a_stack_gathers_its_members_in_order_and_is_undone(count: int, transposed: bool) -> None:
    op = ["stack", "transpose"] if transposed else ["stack"]
    rules = rules_from({"n.{i}.norms.{j}.weight": {"to": "h.{i}.norm.weight", "op": op}})
    members = {j: counted(3) + 10 * j for j in range(count)}
    found = rules.find("n.0.norms.0.weight")
    assert found is not None
    promises: dict[int | None, Lazy] = {j: lazy(members[j]) for j in sorted(members, key=str)}
    made = forward(found[0], {"i": "0"}, promises, {}, {})
    assert isinstance(made, dict)
    stacked = np.stack([members[j] for j in range(count)])
    whole = made["h.0.norm.weight"].read()
    np.testing.assert_array_equal(whole, stacked.T if transposed else stacked)
    back = restore(made, rules, {}).tensors
    assert {name: promise.read().tolist() for name, promise in back.items()} == {
        f"n.0.norms.{j}.weight": member.tolist() for j, member in members.items()
    }


def test_a_gap_in_a_stack_is_a_misfit() -> None:
    rules = rules_from({"n.{j}.weight": {"to": "norm.weight", "op": "stack"}})
    members: dict[int | None, Lazy] = {0: lazy(counted(3)), 2: lazy(counted(3))}
    assert isinstance(forward(rules.rules[0], {}, members, {}, {}), Misfit)


@pytest.mark.parametrize(("key", "targets"), [("m.3.fc.bias", ("h.3.up.bias",))])
def test_targets_of_names_what_a_key_becomes(key: str, targets: tuple[str, ...]) -> None:
    found = rules_from(GPT_OSS).find(key)
    assert found is not None
    assert targets_of(*found) == targets
