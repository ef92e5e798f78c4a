"""The oracle of a training step, held against figures of others: GPT-2 of transformers, measured
with torch's allocator and with a tracker of storages."""

from typing import Literal
from unittest import mock

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.optim import AdamW

from tests.shadow.storages import Storages

WEIGHTS = 497_759_232
STEP: dict[Literal["sdpa", "eager"], int] = {"sdpa": 1_681_616_904, "eager": 2_285_006_856}
"""Bytes over the weights, one sequence of 1024 in float32: forward with its mean cross entropy and
backward, nobody holding on to the logits, and no mask where positions are those of one document,
which transformers would look up in their numbers."""
OPTIMIZER = 1_802_057_300
"""The same where AdamW makes its states and two temporaries of the largest weight: more than an
optimizer that writes in place."""


@pytest.mark.parametrize("attention", STEP)
def test_gpt2(attention: Literal["sdpa", "eager"]) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel, masking_utils

    packed = mock.patch.object(masking_utils, "find_packed_sequence_indices", lambda _: None)
    with packed, FakeTensorMode(allow_non_fake_inputs=True):
        model = GPT2LMHeadModel(GPT2Config(attn_implementation=attention)).eval()
        ids = torch.zeros(1, 1024, dtype=torch.long)
        weights = {x.untyped_storage()._cdata: x.untyped_storage() for x in model.parameters()}
        assert sum(storage.nbytes() for storage in weights.values()) == WEIGHTS
        ours = {x.untyped_storage()._cdata for x in (*model.parameters(), *model.buffers(), ids)}
        with Storages(ours) as found:
            loss = model(ids, labels=ids, use_cache=False).loss
            loss.backward()
            assert found.most == STEP[attention]
            found.most = 0
            AdamW(model.parameters(), lr=1e-3).step()
            assert found.most == OPTIMIZER
