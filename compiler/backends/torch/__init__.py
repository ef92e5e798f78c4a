"""PyTorch source: one readable file a model."""

from compiler.backends.torch.file import Generated, torch_source
from compiler.backends.torch.header import Facts

__all__ = ["Facts", "Generated", "torch_source"]
