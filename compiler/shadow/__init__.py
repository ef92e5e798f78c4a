"""A shadow of torch: tensors without numbers, whose sizes are formulas.

A generated module runs on it as it does on torch, and Python's own counting of references says how
long every tensor lives. So what is counted is what the code does, down to the byte: which results
are views, what a backward pass keeps, which copies are made on the way.
"""

from compiler.shadow.run import Held, How, Source, held, step_held
from compiler.shadow.saves import Saved, Saves
from compiler.shadow.tape import UnknownError

__all__ = ["Held", "How", "Saved", "Saves", "Source", "UnknownError", "held", "step_held"]
