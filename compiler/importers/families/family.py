"""What is known of a family of published models."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from archspec.source.frozen import Frozen
from compiler.importers.config.config import Config
from compiler.importers.config.written import Written
from compiler.importers.names import Names


class ModelType(Frozen):
    """One `model_type` of config.json.

    `about` is a sentence with the paper. `defaults` are the class defaults of its config by the
    words that importers ask for: a file holds only what differs from them.
    """

    about: str
    defaults: Mapping[str, Any]


class Family(Frozen):
    """Models whose files are alike.

    `rules` gives the rename rules of its checkpoints for the names of a spec; `spec` reads a config
    as `dims`, `inputs`, `defaults` and `graph`, for each of `types` by its `model_type`. The names
    of a whole model's files have a `prefix` that those of its bare body lack, but for names below
    `heads`; rules leave it out. A spec that has none of the heads is a bare body.
    """

    rules: Callable[[Names], dict[str, Any]]
    spec: Callable[[Config], Written] | None = None
    types: Mapping[str, ModelType] = field(default_factory=dict)
    prefix: str = ""
    heads: tuple[str, ...] = ("lm_head", "cls", "classifier")

    def named(self, names: Names) -> dict[str, Any]:
        """The rules with the names of the files that transformers writes of such a model."""
        rules = self.rules(names)
        heads = [rule for source, rule in rules.items() if self._is_head(source)]
        if heads and all(rule == "drop" for rule in heads):
            return rules
        return {self._whole(source): rule for source, rule in rules.items()}

    def _whole(self, source: str) -> str:
        outside = source.startswith("*") or self._is_head(source)
        return source if outside or not self.prefix else f"{self.prefix}.{source}"

    def _is_head(self, source: str) -> bool:
        return source.partition(".")[0] in self.heads


def of(node: str, kind: str = "*") -> str:
    """The parameter of a node; `drop` where the spec has no such node."""
    return f"{node}.{kind}" if node else "drop"


def replacing(own: Mapping[str, Any], relative: Mapping[str, Any]) -> dict[str, Any]:
    """The rules of a relative with others in their place.

    Of several names for one parameter the first is the one that is written, so `own` come first.
    """
    return {**own, **{theirs: ours for theirs, ours in relative.items() if theirs not in own}}


class Known(Frozen):
    """A model type that can be imported, and the name of its family."""

    family: str
    spec: Callable[[Config], Written]
    type: ModelType
