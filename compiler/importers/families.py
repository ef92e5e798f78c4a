"""The families whose published files we read by name: `weights: bert`."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from archspec.model.weights import WeightRules
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.suggest import did_you_mean
from compiler.importers.bert import bert
from compiler.importers.gpt2 import gpt2
from compiler.importers.llama import llama
from compiler.importers.mixtral import mixtral
from compiler.importers.names import Names, names_of
from compiler.importers.printable import printable
from compiler.importers.rules import Rules, parse_rules
from compiler.importers.vit import vit

if TYPE_CHECKING:
    from archspec.model.spec import Node

FAMILIES: Mapping[str, Callable[[Names], dict[str, Any]]] = {
    "bert": bert,
    "gpt2": gpt2,
    "llama": llama,
    "mixtral": mixtral,
    "vit": vit,
}


def rules_of(weights: WeightRules, graph: Mapping[str, "Node"]) -> Rules | tuple[Diagnostic, ...]:
    """The rules that a spec's `weights:` stands for: a family's, or those it spells out.

    Diagnostics are AR0707 for a malformed rule and AR0714 for an unknown family.
    """
    if not weights.family:
        return parse_rules(weights.rules, lambda key: weights.spans.get(key, weights.span))
    family = FAMILIES.get(weights.family)
    if family is None:
        message = f"`{printable(weights.family)}` is no family of weights that we know"
        label = Label(weights.span, did_you_mean(weights.family, FAMILIES) or "unknown family")
        hint = f"there are {', '.join(FAMILIES)}; or write the rules themselves"
        return (Diagnostic("AR0714", message, label, help=hint),)
    return parse_rules(family(names_of(graph)), lambda _: weights.span)
