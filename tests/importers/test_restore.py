"""The way back from our parameters to the tensors of a file, and what has none."""

from collections.abc import Mapping

import numpy as np
import pytest

from compiler.importers.restore import Restored, restore
from tests.importers.samples import counted, held
from tests.importers.test_rename import rules_from

QKV = {"m.{i}.qkv.*": {"to": ["h.{i}.q.*", "h.{i}.k.*", "h.{i}.v.*"], "op": "split"}}


def back(rules: Mapping[str, object], *names: str, ties: dict[str, str] | None = None) -> Restored:
    return restore(held({name: counted(2, 2) for name in names}), rules_from(rules), {}, ties)


def test_a_parameter_that_no_rule_gives_is_named() -> None:
    made = back({"x.weight": "b.weight"}, "a.weight", "b.weight")
    assert made.unruled == ("a.weight",)
    assert list(made.tensors) == ["x.weight"]


def test_a_rule_with_several_targets_wants_them_all() -> None:
    made = back(QKV, "h.0.q.bias", "h.0.v.bias", "h.1.q.weight", "h.1.k.weight", "h.1.v.weight")
    assert made.unruled == ("h.0.q.bias", "h.0.v.bias")
    assert list(made.tensors) == ["m.1.qkv.weight"]


def test_the_first_of_several_names_is_written() -> None:
    rules: dict[str, object] = {"n.*": "norm.*", "n.gamma": "norm.weight", "dead": "drop"}
    assert list(back(rules, "norm.weight", "norm.bias").tensors) == ["n.weight", "n.bias"]


def test_a_tied_table_is_written_under_the_name_that_a_rule_knows() -> None:
    ties = {"logits.weight": "tok.weight"}
    assert list(
        back({"wte": "tok.weight", "head": "logits.weight"}, "tok.weight", ties=ties).tensors
    ) == ["wte"]
    made = back({"head": "logits.weight"}, "tok.weight", ties=ties)
    assert (list(made.tensors), made.unruled) == (["head"], ())
    assert back({"head": "x.weight"}, "tok.weight", ties=ties).unruled == ("tok.weight",)


def test_shapes_that_an_operator_cannot_undo() -> None:
    rules = {"m.{i}.gu": {"to": ["h.{i}.g.weight", "h.{i}.u.weight"], "op": "deinterleave"}}
    tensors = held({"h.0.g.weight": counted(2, 2), "h.0.u.weight": counted(3, 2)})
    made = restore(tensors, rules_from(rules), {})
    (misfit,) = made.misfits
    assert misfit.keys == ("m.{i}.gu",)
    assert misfit.targets == ("h.0.g.weight", "h.0.u.weight")
    assert "one shape" in misfit.reason


@pytest.mark.parametrize("other", ["drop", {"to": "h.0.a.weight", "op": "transpose"}])
def test_a_name_that_another_rule_reads(other: object) -> None:
    plain: dict[str, object] = {"m.{i}.a.weight": "h.{i}.a.weight"}
    made = back({**plain, "m.0.a.weight": other}, "h.0.a.weight", "h.1.a.weight")
    (astray,) = made.astray
    assert (astray.keys, astray.targets) == (("m.0.a.weight",), ("h.0.a.weight",))


def test_two_parameters_under_one_name() -> None:
    rules: dict[str, object] = {"m.0.weight": "a.weight", "m.{i}.weight": "h.{i}.weight"}
    made = back(rules, "a.weight", "h.0.weight")
    assert [each.targets for each in made.astray] == [("h.0.weight",)]


def test_a_special_rule_before_the_general_one_is_followed_both_ways() -> None:
    rules: dict[str, object] = {
        "m.0.a.weight": {"to": "h.0.a.weight", "op": "transpose"},
        "m.{i}.a.weight": "h.{i}.a.weight",
    }
    made = back(rules, "h.0.a.weight", "h.1.a.weight")
    assert made.astray == ()
    np.testing.assert_array_equal(made.tensors["m.0.a.weight"].read(), counted(2, 2).T)
    np.testing.assert_array_equal(made.tensors["m.1.a.weight"].read(), counted(2, 2))
