"""Generated code with a mistake put in, which a proof must find."""

from dataclasses import replace

from torch import nn

from compiler.verify.compiled import Compiled
from compiler.verify.module import build


def mistaken(made: Compiled, said: str, instead: str) -> nn.Module:
    """The model of a program with `instead` where its source has `said`."""
    assert said in made.generated.text, made.generated.text
    return build(replace(made.generated, text=made.generated.text.replace(said, instead)))


def with_source(made: Compiled, said: str, instead: str) -> Compiled:
    """A program that claims the changed source for its own."""
    assert said in made.generated.text, made.generated.text
    changed = replace(made.generated, text=made.generated.text.replace(said, instead))
    other = replace(made)
    vars(other)["generated"] = changed
    return other
