"""What we are held against: torch.onnx.export of transformers' GPT-2, in a process of its own."""

import sys

import torch
from torch.export import Dim
from transformers import GPT2Config, GPT2LMHeadModel


def export(path: str) -> None:
    """Write GPT-2 small with drawn weights to `path`, batch and length left open."""
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(use_cache=False)).eval()
    torch.onnx.export(
        model,
        (),
        path,
        kwargs={"input_ids": torch.zeros(2, 8, dtype=torch.int64)},
        dynamo=True,
        external_data=True,
        verbose=False,
        input_names=["ids"],
        output_names=["logits"],
        dynamic_shapes={"input_ids": {0: Dim("B"), 1: Dim("T", max=1024)}},
    )


if __name__ == "__main__":
    export(sys.argv[1])
