from typing import Any

import numpy as np
import pytest
import torch

from archspec.source.diagnostic import Diagnostic
from archspec.source.span import Span
from compiler.importers.fill import Filled, fill
from compiler.importers.fusion import Fusion
from compiler.importers.lazy import Lazy
from compiler.importers.rules import Rules, parse_rules
from compiler.importers.weights_file import Checkpoint
from tests.importers.samples import Array, counted, in_memory, lazy

SHAPES = {
    "tok.weight": (5, 4),
    "h.0.q.weight": (4, 4),
    "h.0.k.weight": (2, 4),
    "h.0.q.bias": (4,),
    "h.0.k.bias": (2,),
    "final.weight": (4,),
}
FUSIONS = (Fusion("h.0.qk", ("h.0.q", "h.0.k")),)
TIES = {"logits.weight": "tok.weight"}


def arrays(**changes: Array | None) -> dict[str, Array]:
    """A tensor for every parameter, with changes; `__` stands for a dot, None takes one away."""
    made = {name: counted(*shape) + n for n, (name, shape) in enumerate(SHAPES.items())}
    named = {name.replace("__", "."): array for name, array in changes.items()}
    return {name: array for name, array in {**made, **named}.items() if array is not None}


def filled(found: Filled | tuple[Diagnostic, ...]) -> dict[str, Array]:
    assert isinstance(found, Filled), found
    return {name: tensor.read() for name, tensor in found.sources.items()}


def problems(found: Filled | tuple[Diagnostic, ...]) -> list[Diagnostic]:
    assert isinstance(found, tuple), found
    return list(found)


def rules_from(**said: Any) -> Rules:
    named = {name.replace("__", "."): value for name, value in said.items()}
    rules = parse_rules(named, lambda key: Span("spec.yaml", 1, 1, 1, 2))
    assert isinstance(rules, Rules), rules
    return rules


def equal(ours: dict[str, Array], wanted: dict[str, Array]) -> bool:
    same = [np.array_equal(ours[name], array) for name, array in wanted.items()]
    return list(ours) == list(wanted) and all(same)


def test_our_own_names_fill_as_they_are_in_the_models_order() -> None:
    given = arrays()
    backwards = in_memory(dict(reversed(given.items())))
    assert equal(filled(fill(SHAPES, backwards)), given)


def test_fused_and_unfused_names_are_read_alike_even_mixed() -> None:
    given = arrays()
    weight = np.concatenate([given["h.0.q.weight"], given["h.0.k.weight"]])
    file = arrays(h__0__q__weight=None, h__0__k__weight=None, h__0__qk__weight=weight)
    assert equal(filled(fill(SHAPES, in_memory(file), fusions=FUSIONS)), given)


def test_a_fusion_along_the_other_axis_splits_the_bias_along_its_own() -> None:
    shapes = {"a.weight": (3, 2), "b.weight": (3, 4), "a.bias": (2,), "b.bias": (4,)}
    file = in_memory({"ab.weight": counted(3, 6), "ab.bias": counted(6)})
    ours = filled(fill(shapes, file, fusions=(Fusion("ab", ("a", "b"), 1),)))
    np.testing.assert_array_equal(ours["b.weight"], counted(3, 6)[:, 2:])
    np.testing.assert_array_equal(ours["b.bias"], [2, 3, 4, 5])


def test_wrappers_prefixes_are_stripped() -> None:
    file = {f"_orig_mod.{name}": array for name, array in arrays().items()}
    assert equal(filled(fill(SHAPES, in_memory(file))), arrays())


def test_rules_rename_and_drop_and_our_own_names_still_load() -> None:
    fused = {"to": ["h.{i}.q.*", "h.{i}.k.*"], "op": "split"}
    plain = {"wte__weight": "tok.weight", "norm__weight": "final.weight", "mask": "drop"}
    rules = rules_from(**plain, **{"blocks.{i}.*": fused})
    given = arrays()
    file = {
        "wte.weight": given["tok.weight"],
        "blocks.0.weight": np.concatenate([given["h.0.q.weight"], given["h.0.k.weight"]]),
        "blocks.0.bias": np.concatenate([given["h.0.q.bias"], given["h.0.k.bias"]]),
        "norm.weight": given["final.weight"],
        "mask": counted(3),
    }
    found = fill(SHAPES, in_memory(file), rules=rules)
    assert equal(filled(found), given)
    assert isinstance(found, Filled)
    assert found.dropped == ("mask",)
    assert equal(filled(fill(SHAPES, in_memory(given), rules=rules)), given)


def test_everything_left_over_is_one_diagnostic_with_hints() -> None:
    file = arrays(
        final__weight=None, finale__weight=counted(4), h__0__q__bias=None, x__y=counted(1)
    )
    (problem,) = problems(fill(SHAPES, in_memory(file)))
    assert problem.code == "AR0708"
    assert "2 keys are unused and 2 parameters are unfilled" in problem.message
    assert "unused: `finale.weight`, `x.y`" in problem.help
    assert "unfilled: `final.weight`, `h.0.q.bias`" in problem.help
    assert "did you mean `final.weight` for `finale.weight`?" in problem.help
    assert "a published file" not in problem.help


def test_foreign_names_without_rules_point_at_the_families() -> None:
    file = {f"transformer.{k}": counted(2, 2) for k in ("wte.weight", "h.0.attn.c_attn.weight")}
    (problem,) = problems(fill(SHAPES, in_memory(file)))
    assert "`weights: gpt2`" in problem.help
    (ruled,) = problems(fill(SHAPES, in_memory(file), rules=rules_from(a="tok.weight")))
    assert "`weights: gpt2`" not in ruled.help
    assert "is another family meant?" in ruled.help


def test_what_is_missing_is_said_by_the_files_own_name() -> None:
    said = {"x.embed": "tok.weight", "x.{i}.lin.*": "h.{i}.q.*"}
    rules = rules_from(**said, **{"x.{i}.e.{j}": {"to": "h.{i}.e.weight", "op": "stack"}})
    names = ("tok.weight", "h.0.q.weight", "h.1.q.weight", "h.1.e.weight")
    shapes = dict.fromkeys(names, (2, 2))
    file = in_memory({"x.embed": counted(2, 2), "x.1.lin.weight": counted(2, 2)})
    (problem,) = problems(fill(shapes, file, rules=rules))
    assert "unfilled: `h.0.q.weight`, `h.1.e.weight`" in problem.help
    assert "the file lacks `x.0.lin.weight`, `x.1.e.0`" in problem.help
    assert "is another family meant?" not in problem.help
    ours = in_memory({"tok.weight": counted(2, 2), "h.1.q.weight": counted(2, 2)})
    (problem,) = problems(fill(shapes, ours, rules=rules))
    assert "the file lacks" not in problem.help  # it has our own names, and lacks one of those


def test_a_rule_to_a_parameter_that_is_not_there_is_said() -> None:
    rules = rules_from(a="tok.weight", b="h.9.q.weight")
    file = in_memory({"a": counted(5, 4), "b": counted(4, 4)})
    (problem,) = problems(fill({"tok.weight": (5, 4)}, file, rules=rules))
    assert problem.code == "AR0708"
    assert "rules give `h.9.q.weight`, which the spec does not have" in problem.help


def test_parameters_of_one_mismatch_are_one_diagnostic() -> None:
    shapes = {f"h.{layer}.{norm}.weight": (4,) for layer in range(3) for norm in ("a", "b")}
    (problem,) = problems(fill(shapes, in_memory({name: counted(2) for name in shapes})))
    assert problem.message == (
        "`h.{0..2}.a.weight`, `h.{0..2}.b.weight` are [4] in the spec but [2] in the weights"
    )


def test_splits_that_fail_alike_are_one_diagnostic() -> None:
    shapes = {f"h.{i}.{part}.weight": (2, 4) for i in range(2) for part in "qk"}
    rules = rules_from(
        **{"h.{i}.qk.weight": {"to": ["h.{i}.q.weight", "h.{i}.k.weight"], "op": "split"}}
    )
    file = in_memory({f"h.{i}.qk.weight": counted(7, 4) for i in range(2)})
    (problem,) = problems(fill(shapes, file, rules=rules))
    assert problem.code == "AR0709"
    assert problem.message.startswith("`h.{0..1}.qk.weight` cannot become ")


def test_each_shape_mismatch_is_one_diagnostic() -> None:
    file = arrays(tok__weight=counted(5, 3), final__weight=counted(2, 2))
    found = problems(fill(SHAPES, in_memory(file)))
    assert [problem.code for problem in found] == ["AR0710", "AR0710"]
    assert "`tok.weight` is [5, 4] in the spec but [5, 3] in the weights" in found[0].message


def test_a_split_that_does_not_add_up_is_said_once() -> None:
    file = arrays(h__0__q__weight=None, h__0__k__weight=None, h__0__qk__weight=counted(7, 4))
    (problem,) = problems(fill(SHAPES, in_memory(file), fusions=FUSIONS))
    assert problem.code == "AR0709"
    assert "7 along dimension 0 is not 4 + 2" in problem.primary.text


def test_regroup_takes_its_sizes_from_the_spec() -> None:
    shapes = {f"{part}.weight": (6, 2) for part in "qkv"}
    rules = rules_from(qkv={"to": [*shapes], "op": "regroup(n_heads 3 K)"})
    file = in_memory({"qkv": counted(18, 2)})
    (problem,) = problems(fill(shapes, file, rules=rules))
    assert problem.code == "AR0709"
    ours = filled(fill(shapes, file, rules=rules, sizes={"n_heads": 2}))
    np.testing.assert_array_equal(ours["k.weight"], counted(18, 2)[[3, 4, 5, 12, 13, 14]])


def test_a_tied_tensor_may_be_stored_twice_if_it_is_equal() -> None:
    given = arrays()
    file = {**given, "logits.weight": given["tok.weight"].copy()}
    assert equal(filled(fill(SHAPES, in_memory(file), ties=TIES)), given)
    assert equal(
        filled(fill({**SHAPES, "logits.weight": (5, 4)}, in_memory(given), ties=TIES)), given
    )


def test_a_tied_tensor_may_be_stored_under_its_alias_only() -> None:
    given = arrays()
    file = {**arrays(tok__weight=None), "logits.weight": given["tok.weight"]}
    assert equal(filled(fill(SHAPES, in_memory(file), ties=TIES)), given)


def test_a_tie_that_the_weights_do_not_keep_is_an_error() -> None:
    file = {**arrays(), "logits.weight": counted(5, 4) + 9}
    (problem,) = problems(fill(SHAPES, in_memory(file), ties=TIES))
    assert problem.code == "AR0711"
    assert "`logits.weight` is tied to `tok.weight`" in problem.message


@pytest.mark.parametrize(("change", "codes"), [(0, []), (1, ["AR0712"])])
def test_two_keys_for_one_parameter_must_be_equal(change: int, codes: list[str]) -> None:
    rules = rules_from(a="b.bias", c="b.bias")
    file = in_memory({"a": counted(3), "c": counted(3) + change})
    found = fill({"b.bias": (3,)}, file, rules=rules)
    said = [problem.code for problem in found] if isinstance(found, tuple) else []
    assert said == codes


def test_types_that_are_no_plain_numbers_are_refused() -> None:
    tensors: dict[str, Lazy] = {name: lazy(array) for name, array in arrays().items()}
    for name, dtype in {"tok.weight": "F8_E4M3", "final.weight": "I64"}.items():
        tensors[name] = Lazy(tensors[name].shape, dtype, tensors[name].load)
    found = problems(fill(SHAPES, Checkpoint(in_memory({}).path, tensors)))
    assert [problem.code for problem in found] == ["AR0706", "AR0706"]


def test_nothing_is_read_that_is_there_once() -> None:
    def unread() -> Array:
        raise AssertionError("read")

    tensors = {name: Lazy(shape, "F32", unread) for name, shape in SHAPES.items()}
    assert isinstance(fill(SHAPES, Checkpoint(in_memory({}).path, tensors), ties=TIES), Filled)


def test_a_state_dict_of_a_module_with_fused_names_fills_it() -> None:
    module = torch.nn.ModuleDict({"qk": torch.nn.Linear(4, 6)})
    state = {name: tensor.numpy() for name, tensor in module.state_dict().items()}
    shapes = {"q.weight": (4, 4), "k.weight": (2, 4), "q.bias": (4,), "k.bias": (2,)}
    ours = filled(fill(shapes, in_memory(state), fusions=(Fusion("qk", ("q", "k")),)))
    x = torch.randn(3, 4)
    q = torch.nn.functional.linear(
        x, *(torch.from_numpy(ours[f"q.{kind}"]) for kind in ("weight", "bias"))
    )
    torch.testing.assert_close(q, module["qk"](x)[:, :4].detach())
