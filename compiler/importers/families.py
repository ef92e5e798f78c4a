"""The families whose published files we read by name: `weights: bert`."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.span import Span
from compiler.importers.bert import bert
from compiler.importers.gpt2 import gpt2
from compiler.importers.llama import llama
from compiler.importers.names import Names, names_of
from compiler.importers.rules import Rules, parse_rules
from compiler.importers.vit import vit

if TYPE_CHECKING:
    from archspec.model.spec import Node

FAMILIES: Mapping[str, Callable[[Names], dict[str, Any]]] = {
    "bert": bert,
    "gpt2": gpt2,
    "llama": llama,
    "vit": vit,
}


def rules_of(
    said: str | Mapping[str, Any], graph: Mapping[str, "Node"], place: Callable[[str], Span]
) -> Rules | tuple[Diagnostic, ...]:
    """The rules that a spec's `weights:` stands for: a family's, or those it spells out.

    `place` gives the span of a rule by its key, and of the whole by the empty key. Diagnostics are
    AR0707 for a malformed rule and AR0714 for an unknown family.
    """
    if not isinstance(said, str):
        return parse_rules(said, place)
    family = FAMILIES.get(said)
    if family is None:
        near = get_close_matches(said, FAMILIES, 1)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(FAMILIES)}"
        label = Label(place(""), "not a family of checkpoints")
        return (Diagnostic("AR0714", f"unknown weights family `{said}`", label, help=hint),)
    return parse_rules(family(names_of(graph)), place)
