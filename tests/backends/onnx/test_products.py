"""Products and look-ups with rounded matrices: ONNX Runtime against the numbers in the file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from compiler.backends.onnx import MODEL, emit
from compiler.backends.onnx.listing import Step
from compiler.backends.onnx.walk import unrolled
from compiler.importers.lazy import Lazy
from compiler.ir.integers import ROUNDINGS, Integers
from compiler.ir.target import Choice, Target
from compiler.runtime.opening import open_session
from tests.backends.onnx.built import Array, compiled, lazy, random_weights

IDS = (np.arange(22).reshape(2, 11) * 37) % 90


def spec(width: int = 96, tied: bool = True, **layer: Any) -> Mapping[str, Any]:
    return {
        "name": "rounded",
        "inputs": {"ids": "tokens"},
        "defaults": {"norm": {"rms": 1e-6}, "norm_at": "pre", "bias": True},
        "graph": {
            "tok": {"embed": {"vocab": 90, "dim": width}, "in": "ids"},
            "h": {
                "stack": {
                    "repeat": 1,
                    "layer": layer or {"mlp": {"mlp": {"hidden": 160, "act": "gelu"}}},
                }
            },
            "logits": {"unembed": {"tie": "tok"} if tied else {"vocab": 90}},
        },
    }


MOE = {"moe": {"experts": 6, "top_k": 2, "expert": {"hidden": 64, "act": "silu", "gated": True}}}


def integer_weights(width: int = 96) -> dict[str, Array]:
    """Small whole numbers, the ends of every block the same: no rounding changes them."""
    rng = np.random.default_rng(1)
    found = random_weights(compiled(spec(width)))
    for name, array in found.items():
        if array.ndim == 2:
            whole = rng.integers(-7, 8, array.shape)
            whole[:, ::16], whole[:, 1::16] = -8, 7
            found[name] = (whole / 64).astype("f4")
    return found


def run(
    folder: Path,
    said: Mapping[str, Any],
    weights: Mapping[str, Array],
    target: Target,
    exactly: bool = False,
) -> Array:
    """The logits; `exactly` multiplies floats, which is what every other accuracy level is."""
    program = compiled(said)
    emit(
        {"model": program},
        {name: lazy(array) for name, array in weights.items()},
        folder,
        target=target,
    )
    if exactly:
        model = onnx.load(str(folder / MODEL), load_external_data=False)
        for node in model.graph.node:
            for attribute in node.attribute:
                if attribute.name == "accuracy_level":
                    assert attribute.i == 4
                    attribute.i = 0
        onnx.save(model, str(folder / MODEL))
    return open_session(folder, threads=1, device="cpu").run({"ids": IDS})["logits"]


def rounded_to(bits: int, block: int | None, rounding: str = "symmetric") -> Target:
    return Target("cpu", choices=(Choice("*", Integers(bits, block, rounding)),))  # type: ignore[arg-type]


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("block", [16, 32, 128])
@pytest.mark.parametrize("bits", [4, 8])
def test_what_is_exact_in_integers_gives_the_logits_of_floats(
    tmp_path: Path, bits: int, block: int, rounding: str
) -> None:
    """Packing, scales, zeros, the shared table and its short last block: all show here."""
    weights = integer_weights()
    target = rounded_to(bits, block, rounding)
    wanted = run(tmp_path, spec(), weights, Target())
    found = run(tmp_path, spec(), weights, target, exactly=True)
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()


@pytest.mark.parametrize("target", [rounded_to(8, 32), rounded_to(8, None)], ids=str)
@pytest.mark.parametrize("tied", [True, False])
def test_eight_bits_stay_close_with_rounded_inputs(
    tmp_path: Path, target: Target, tied: bool
) -> None:
    said = spec(tied=tied)
    weights = random_weights(compiled(said))
    wanted = run(tmp_path, said, weights, Target())
    found = run(tmp_path, said, weights, target)
    assert np.linalg.norm(found - wanted) < 0.03 * np.linalg.norm(wanted)


@pytest.mark.parametrize("precision", ["fp32", "int8", "int4"])
def test_experts_without_rows_are_no_trouble(tmp_path: Path, precision: Any) -> None:
    said = spec(mlp=MOE)
    weights = random_weights(compiled(said))
    target = Target("cpu", precision)
    wanted = run(tmp_path, said, weights, Target())
    found = run(tmp_path, said, weights, target)
    bar = {"fp32": 1e-5, "int8": 0.05, "int4": 0.2}[precision]
    assert np.linalg.norm(found - wanted) < bar * np.linalg.norm(wanted)


def steps(target: Target, **more: Any) -> list[Step]:
    return list(unrolled(compiled(spec(**more)), target).flat())


def test_a_table_and_the_head_tied_to_it_are_one_tensor(tmp_path: Path) -> None:
    program = compiled(spec())
    weights = {name: lazy(array) for name, array in random_weights(program).items()}
    plain = (
        emit({"model": program}, weights, tmp_path, target=Target("cpu"))
        .files["model.onnx.data"]
        .bytes
    )
    size = sum(source.nbytes for source in weights.values())
    assert plain < size + 64 * len(weights)
    emit({"model": program}, weights, tmp_path, target=Target("cpu", "int4"))
    model = onnx.load(str(tmp_path / MODEL), load_external_data=False)
    table = [each for each in model.graph.initializer if each.name.startswith("tok.weight.int4")]
    places = {each.name: {entry.key: entry.value for entry in each.external_data} for each in table}
    assert places["tok.weight.int4"] == places["tok.weight.int4.rows"]


def test_int4_takes_four_bits_and_a_scale_for_each_block(tmp_path: Path) -> None:
    """Of 128, and vectors as they are: about an eighth of float32."""
    program = compiled(spec(512, mlp={"mlp": {"hidden": 1024, "act": "gelu"}}))
    weights = {name: lazy(array) for name, array in random_weights(program).items()}
    target = Target("cpu", "int4")
    made = emit({"model": program}, weights, tmp_path, target=target).files["model.onnx.data"]
    shares = [(4 + 32 / 128) / 32 if len(each.shape) == 2 else 1 for each in weights.values()]
    wanted = sum(s * each.nbytes for s, each in zip(shares, weights.values(), strict=True))
    assert wanted <= made.bytes < wanted + 64 * len(weights)


def test_a_cpu_multiplies_integers_and_says_so() -> None:
    found = [s for s in steps(Target("cpu", "int4")) if s.kind == "MatMulNBits"]
    assert found and all(s.attributes["accuracy_level"] == 4 for s in found)
    found = [s for s in steps(Target("cuda", "int4")) if s.kind == "MatMulNBits"]
    assert found and all("accuracy_level" not in s.attributes for s in found)


def test_no_matrix_is_stored_turned_where_the_runtime_turns_it() -> None:
    listing = unrolled(compiled(spec(tied=False)), Target("cpu"))
    assert not any(weight.transposed for weight in listing.weights.values())
    assert {step.kind for step in listing.flat()} >= {"FusedMatMul"}


def test_routers_and_small_matrices_stay_floats() -> None:
    kinds = {s.name: s.kind for s in steps(Target("cpu", "int4"), mlp=MOE)}
    assert kinds["/h/0/mlp/router/FusedMatMul"] == "FusedMatMul"
    narrow = [s.kind for s in steps(Target("cpu", "int4"), width=16)]
    assert "MatMulNBits" not in narrow


def test_short_rows_have_short_blocks() -> None:
    blocks = {s.attributes.get("block_size", 32) for s in steps(Target("cpu", "int4"))}
    assert blocks == {32, 128}


@pytest.mark.parametrize(("width", "zeros"), [(96, False), (128, True)])
def test_where_cuda_would_misread_zeros_of_a_table_there_are_none(width: int, zeros: bool) -> None:
    """It reads them as if no row of three ended within a byte; a head that is tied has the same."""
    choices = (Choice("*", Integers(4, 32, "zero-point")),)
    cuda, cpu = Target("cuda", "int4", choices=choices), Target("cpu", "int4", choices=choices)
    for target, wanted in ((cuda, zeros), (cpu, True)):
        listing = unrolled(compiled(spec(width)), target)
        found = [each for each in listing.flat() if "tok.weight.int4" in " ".join(each.inputs)]
        assert {each.kind for each in found} == {"GatherBlockQuantized", "MatMulNBits"}
        assert [len(each.inputs) >= 4 and bool(each.inputs[3]) for each in found] == [wanted] * 2


def test_the_first_choice_that_fits_decides() -> None:
    choices = (Choice("h.*.up", None), Choice("h.*", Integers(8, 64, "symmetric")))
    found = steps(Target("cpu", "int4", choices=choices))
    bits = {s.name: s.attributes.get("bits") for s in found if "/h/" in s.name}
    assert bits["/h/0/mlp/down/MatMulNBits"] == 8
    assert any(name.startswith("/h/0/mlp/up/FusedMatMul") for name in bits)


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    program = compiled(spec())
    weights: dict[str, Lazy] = {n: lazy(a) for n, a in random_weights(program).items()}
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        made.append(
            emit({"model": program}, weights, tmp_path / name, target=Target("cpu", "int4")).files
        )
    assert made[0] == made[1]
