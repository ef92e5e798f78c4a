"""The language of archc: what a spec can say, read with its places, complete and checked."""

from archspec.load import load, read
from archspec.model.spec import Node, Spec
from archspec.source.diagnostic import Diagnostic, Label, SpecError
from archspec.source.span import Span

__all__ = ["Diagnostic", "Label", "Node", "Span", "Spec", "SpecError", "load", "read"]
