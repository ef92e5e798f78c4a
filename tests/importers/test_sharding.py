"""Shards and their index, beside what the hub's own library makes of the same tensors."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.sharding import index_text, sharded
from tests.importers.samples import counted, held


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 60))
def test_shards_are_those_of_the_hub(lengths: list[int], most: int) -> None:
    from huggingface_hub import split_torch_state_dict_into_shards

    ours = sharded(held({f"t{n}": counted(k) for n, k in enumerate(lengths)}), most)
    theirs = split_torch_state_dict_into_shards(
        {f"t{n}": torch.zeros(k) for n, k in enumerate(lengths)}, max_shard_size=most
    )
    # Theirs sets tensors above the limit aside at once, ours keeps the order of the model.
    if max(lengths) * 4 <= most:
        assert {file: list(held) for file, held in ours.items()} == dict(theirs.filename_to_tensors)
    if theirs.is_sharded and len(ours) == len(theirs.filename_to_tensors):
        index = json.loads(index_text(ours))
        assert set(index["weight_map"]) == set(theirs.tensor_to_filename)
        assert index["metadata"] == theirs.metadata


@pytest.mark.parametrize("most", [1, 8, 11])
def test_no_file_is_above_the_limit_but_for_a_tensor_that_is(most: int) -> None:
    ours = sharded(held({name: counted(2) for name in "abcde"}), most)
    assert [len(held) for held in ours.values()] == [1] * 5
    assert list(ours) == [f"model-0000{n}-of-00005.safetensors" for n in range(1, 6)]
