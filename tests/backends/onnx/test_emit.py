"""What lies on disk: names, places, bytes, and how much memory it takes to write them."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.external_data_helper import load_external_data_for_model

from compiler.backends.onnx import DATA, MODEL, emit
from compiler.backends.onnx.data import INLINE, LARGE, LINE, PAGE
from compiler.importers.lazy import Lazy
from tests.backends.onnx.built import Array, build, compiled, lazy, random_weights

DECODER: Mapping[str, Any] = {
    "name": "tiny",
    "about": 'Says "what" it is,\nwith a ¶ and """ quotes.',
    "inputs": {"ids": "tokens"},
    "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True},
    "graph": {
        "tok": {
            "embed": {"vocab": 11_000, "dim": 32, "positions": {"learned": 16}},
            "in": "ids",
        },
        "h": {
            "stack": {
                "repeat": 2,
                "layer": {
                    "attn": {"attention": {"heads": 4, "kv_heads": 2, "mask": "causal"}},
                    "mlp": {"mlp": {"hidden": 64, "act": "silu", "gated": True}},
                },
            }
        },
        "logits": {"unembed": {"tie": "tok"}},
    },
}


def loaded(folder: Path) -> onnx.ModelProto:
    return onnx.load(str(folder / MODEL), load_external_data=False)


def external(tensor: onnx.TensorProto) -> tuple[int, int] | None:
    """Offset and length in the data file, or None for a tensor in the model file."""
    said = {entry.key: entry.value for entry in tensor.external_data}
    if not said:
        return None
    assert said["location"] == DATA
    return int(said["offset"]), int(said["length"])


def test_every_number_is_where_the_model_says(tmp_path: Path) -> None:
    program = compiled(DECODER)
    built = build(program, random_weights(program), tmp_path)
    model = loaded(tmp_path)
    load_external_data_for_model(model, str(tmp_path))
    held = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    constants = {name for name in held if name.startswith(("int64", "float32", "bool", "/"))}
    matrices = {"attn.qkv", "attn.o", "mlp.gate_up", "mlp.down"}
    for name, array in built.weights.items():
        transposed = name.endswith(".weight") and any(part in name for part in matrices)
        found = held.pop(f"{name}.T" if transposed else name)
        assert np.array_equal(found.T if transposed else found, array), name
    assert set(held) == constants


def test_large_tensors_lie_in_one_aligned_file(tmp_path: Path) -> None:
    program = compiled(DECODER)
    build(program, random_weights(program), tmp_path)
    end = 0
    for tensor in loaded(tmp_path).graph.initializer:
        size = 4 * int(np.prod(tensor.dims))
        place = external(tensor)
        if not tensor.name.startswith(("tok.", "h.")):
            assert place is None
            continue
        assert (place is None) == (size < INLINE)
        if place is None:
            continue
        offset, length = place
        assert length == size
        assert offset % (PAGE if size >= LARGE else LINE) == 0
        assert end <= offset < end + PAGE
        end = offset + length
    assert (tmp_path / DATA).stat().st_size == end
    assert {path.name for path in tmp_path.iterdir()} == {MODEL, DATA}


def test_names_are_paths_and_lengths_are_letters(tmp_path: Path) -> None:
    program = compiled(DECODER)
    build(program, random_weights(program), tmp_path)
    model = loaded(tmp_path)
    nodes = [node.name for node in model.graph.node]
    assert len(set(nodes)) == len(nodes)
    assert {"/h/0/attn/qkv/MatMul", "/h/1/mlp/act/Sigmoid", "/tok/tokens/Gather"} <= set(nodes)
    (ids,), (logits,) = model.graph.input, model.graph.output
    assert (ids.name, _dims(ids)) == ("ids", ["B", "T"])
    assert (logits.name, _dims(logits)) == ("logits", ["B", "T", 11_000])
    assert not model.graph.value_info
    assert model.doc_string == DECODER["about"]
    assert (model.ir_version, model.opset_import[0].version) == (11, 23)
    said = {entry.key: entry.value for entry in model.metadata_props}
    assert said["archc.spec_sha256"] == program.digest
    assert said["archc.version"] == model.producer_version


def test_nothing_is_dead_or_twice(tmp_path: Path) -> None:
    spec = {**DECODER, "outputs": ["h"]}
    program = compiled(spec)
    build(program, random_weights(program), tmp_path)
    graph = loaded(tmp_path).graph
    read = {name for node in graph.node for name in node.input} | {o.name for o in graph.output}
    made = [name for node in graph.node for name in node.output]
    assert set(made) <= read
    assert {tensor.name for tensor in graph.initializer} <= read
    assert not [node.name for node in graph.node if node.name.startswith("/logits")]
    constants = [t for t in graph.initializer if not t.name.startswith(("tok.", "h."))]
    numbers = {(t.data_type, tuple(t.dims), t.raw_data) for t in constants}
    assert len(numbers) == len(constants)


def test_a_value_can_be_several_outputs_or_an_input(tmp_path: Path) -> None:
    spec = {
        "name": "odd",
        "inputs": {"x": {"features": ["T", 4]}},
        "graph": {"y": {"linear": {"dim": 3}, "in": "x"}, "z": {"dropout": 0.5, "in": "y"}},
        "outputs": ["y", "z"],
    }
    program = compiled(spec)
    built = build(program, random_weights(program), tmp_path)
    x = np.arange(8, dtype="f4").reshape(1, 2, 4)
    found = built.run(x=x)
    np.testing.assert_allclose(found["y"], x @ built.weights["y.weight"].T, rtol=1e-6)
    assert np.array_equal(found["y"], found["z"])


def test_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    code = f"""
import pathlib, sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from tests.backends.onnx.built import build, compiled, random_weights
from tests.backends.onnx.test_emit import DECODER
program = compiled(DECODER)
built = build(program, random_weights(program), pathlib.Path(sys.argv[1]))
print({{name: file.sha256 for name, file in built.emitted.files.items()}})
"""
    said = []
    folders = {"0": tmp_path / "one", "1": tmp_path / "other" / "deeper"}
    for seed, folder in folders.items():
        folder.mkdir(parents=True)
        command = [sys.executable, "-c", code, str(folder)]
        done = subprocess.run(
            command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        said.append(done.stdout)
    assert said[0] == said[1]
    for name in (MODEL, DATA):
        one, other = ((folder / name).read_bytes() for folder in folders.values())
        assert one == other
        assert hashlib.sha256(one).hexdigest() in said[0]


def test_the_graph_alone_is_the_graph(tmp_path: Path) -> None:
    program = compiled(DECODER)
    emitted = emit({"model": program}, None, tmp_path)
    assert set(emitted.files) == {MODEL}
    assert {path.name for path in tmp_path.iterdir()} == {MODEL}
    model = loaded(tmp_path)
    for tensor in model.graph.initializer:
        is_parameter = tensor.name.startswith(("tok.", "h."))
        assert (external(tensor) is not None) == is_parameter


@pytest.mark.parametrize("dtype", ["F16", "BF16", "F64"])
def test_other_types_of_numbers_become_float32(dtype: str, tmp_path: Path) -> None:
    program = compiled(DECODER)
    weights = random_weights(program)
    sources = {name: _stored(array, dtype) for name, array in weights.items()}
    emit({"model": program}, sources, tmp_path)
    model = loaded(tmp_path)
    load_external_data_for_model(model, str(tmp_path))
    for tensor in model.graph.initializer:
        name = tensor.name.removesuffix(".T")
        if name in weights:
            found = onnx.numpy_helper.to_array(tensor)
            assert found.dtype == np.float32
            wanted = sources[name].read().astype("f4")
            assert np.array_equal(found.T if name != tensor.name else found, wanted)


def test_progress_ends_at_the_bytes_of_the_file(tmp_path: Path) -> None:
    """Piece after piece, and at the last one all that there is."""
    program = compiled(DECODER)
    sources = {name: lazy(array) for name, array in random_weights(program).items()}
    told: list[tuple[int, int]] = []
    made = emit(
        {"model": program}, sources, tmp_path, lambda done, whole: told.append((done, whole))
    )
    size = made.files["model.onnx.data"].bytes
    assert len(told) > 5
    assert told == sorted(set(told))
    assert {whole for _, whole in told} == {size}
    assert told[-1][0] == size


def test_a_missing_or_misshapen_parameter_is_refused_before_writing(tmp_path: Path) -> None:
    program = compiled(DECODER)
    sources = {name: lazy(array) for name, array in random_weights(program).items()}
    with pytest.raises(KeyError, match=r"h\.1\.mlp\.down\.weight"):
        emit(
            {"model": program},
            {n: s for n, s in sources.items() if n != "h.1.mlp.down.weight"},
            tmp_path,
        )
    wrong = {**sources, "tok.tokens.weight": lazy(np.zeros((32, 11_000), "f4"))}
    with pytest.raises(ValueError, match=r"tok\.tokens\.weight"):
        emit({"model": program}, wrong, tmp_path)
    assert not list(tmp_path.iterdir())


def test_memory_is_bounded_by_two_tensors(tmp_path: Path) -> None:
    """400 MB of weights in matrices of 34 MB, by a process that grows by less than half of that."""
    spec = {
        "name": "wide",
        "inputs": {"x": {"features": ["T", 4096]}},
        "graph": {
            "h": {
                "stack": {
                    "repeat": 6,
                    "layer": {"mlp": {"mlp": {"hidden": 2048, "act": "relu"}}},
                },
                "in": "x",
            }
        },
        "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
    }
    code = f"""
import pathlib, resource, sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from tests.backends.onnx.test_emit import emit_made_up
print(emit_made_up({spec!r}, pathlib.Path(sys.argv[1])))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    written, grown = map(int, done.stdout.split()[-2:])
    assert written > 400_000_000
    assert grown < 2 * 4096 * 2048 * 4 + 100_000_000


def emit_made_up(spec: Mapping[str, Any], folder: Path) -> str:
    """Bytes written, and the growth of the peak of memory in bytes, for made-up weights."""
    import resource

    import onnx

    del onnx
    program = compiled(spec)
    sources = {
        name: _made_up([int(str(program.key.fix(n))) for n in found.shape])
        for name, found in program.parameters().items()
    }
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    emitted = emit({"model": program}, sources, folder)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"{emitted.bytes} {(after - before) * 1024}"


def _made_up(shape: list[int]) -> Lazy:
    def load() -> Array:
        return np.ones(shape, "f4")

    def stream(most: int) -> Iterator[Array]:
        for start in range(0, int(np.prod(shape)), most):
            yield np.ones(min(most, int(np.prod(shape)) - start), "f4")

    return Lazy(tuple(shape), "F32", load, stream)


def _stored(array: Array, dtype: str) -> Lazy:
    if dtype == "BF16":
        words = (array.view(np.uint32) >> 16).astype(np.uint16)
        return Lazy(array.shape, dtype, lambda: words)
    numbers = array.astype({"F16": "f2", "F64": "f8"}[dtype])
    return Lazy(array.shape, dtype, lambda: numbers)


def _dims(value: onnx.ValueInfoProto) -> list[str | int]:
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
