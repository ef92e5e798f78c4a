"""PyTorch source: one readable file a model."""

from compiler.backends.torch.file import Code, Generated, torch_code, torch_source
from compiler.backends.torch.header import Facts
from compiler.backends.torch.marks import Marks

__all__ = ["Code", "Facts", "Generated", "Marks", "torch_code", "torch_source"]
