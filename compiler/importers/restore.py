"""The way back: our parameters under the names and in the layout of the files that rules read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from archspec.source.frozen import Frozen
from compiler.importers.claims import KeyMisfit
from compiler.importers.lazy import Lazy
from compiler.importers.misfit import Misfit
from compiler.importers.operators import Sizes
from compiler.importers.rename import Bundle, Place, backward
from compiler.importers.rules import Rule, Rules
from compiler.importers.template import Captures


class Restored(Frozen):
    """What rules make of parameters, and why some could not be written.

    `unruled`: parameters that no rule gives. `misfits`: those whose rule cannot be undone with
    their shapes. `astray`: those whose key would be read as something else.
    """

    tensors: Mapping[str, Lazy]
    unruled: tuple[str, ...]
    misfits: tuple[KeyMisfit, ...]
    astray: tuple[KeyMisfit, ...]


def restore(
    parameters: Mapping[str, Lazy],
    rules: Rules,
    sizes: Sizes,
    ties: Mapping[str, str] | None = None,
) -> Restored:
    """Our `parameters` as tensors of a file.

    A parameter that several rules give is written by the first. `ties` gives aliases and their
    owners: an owner that no rule gives is written under an alias that one does. What rules drop
    stays dropped.
    """
    owners = dict(ties or {})
    back = _Back(rules, sizes)
    left = back.write(parameters)
    aliases = {alias: left[owner] for alias, owner in owners.items() if owner in left}
    unwritten = back.write(aliases)
    lent = {owners[alias] for alias in aliases if alias not in unwritten}
    unruled = tuple(name for name in left if name not in lent)
    return Restored(back.tensors, unruled, tuple(back.misfits), tuple(back.astray))


@dataclass
class _Back:
    """Rules followed backwards, and what came of it so far."""

    rules: Rules
    sizes: Sizes
    tensors: dict[str, Lazy] = field(default_factory=dict)
    misfits: list[KeyMisfit] = field(default_factory=list)
    astray: list[KeyMisfit] = field(default_factory=list)

    def write(self, parameters: Mapping[str, Lazy]) -> dict[str, Lazy]:
        """Follow every rule that gives some of `parameters`; returns those that none gives."""
        left = dict(parameters)
        for rule in self.rules.rules:
            for captures, places in _groups(rule, left):
                bundle = {place: left.pop(name) for place, name in places.items()}
                self._undo(rule, captures, bundle, tuple(places.values()))
        return left

    def _undo(self, rule: Rule, captures: Captures, bundle: Bundle, names: tuple[str, ...]) -> None:
        tensors = backward(rule, captures, bundle, self.sizes)
        if isinstance(tensors, Misfit):
            self.misfits.append(KeyMisfit((rule.source.text,), names, tensors.reason))
            return
        for key, tensor in tensors.items():
            if not self._reads_back(key, rule, names):
                self.astray.append(KeyMisfit((key,), names, "another rule reads this name"))
            elif key in self.tensors:
                self.astray.append(KeyMisfit((key,), names, "another parameter has this name"))
            self.tensors[key] = tensor

    def _reads_back(self, key: str, rule: Rule, names: tuple[str, ...]) -> bool:
        """Whether a key that `rule` gave is read by it, or by one that does the same."""
        found = self.rules.find(key)
        if found is None or found[0] is rule:
            return found is not None
        reader, captures = found
        targets = tuple(target.fill(captures) for target in reader.targets)
        return targets == names and reader.operators == rule.operators


def _groups(rule: Rule, names: Mapping[str, Lazy]) -> list[tuple[Captures, dict[Place, str]]]:
    """The sets of parameters that one application of `rule` gives, complete ones only."""
    found: dict[tuple[tuple[str, str], ...], dict[Place, str]] = {}
    for name in names:
        for number, target in enumerate(rule.targets):
            captures = target.match(name)
            if captures is None:
                continue
            common = {k: said for k, said in captures.items() if not (k == "j" and rule.spreads)}
            j = int(captures["j"]) if rule.spreads else None
            found.setdefault(tuple(common.items()), {})[j, number] = name
    return [(dict(common), places) for common, places in found.items() if _whole(rule, places)]


def _whole(rule: Rule, places: Mapping[Place, str]) -> bool:
    members = {j for j, _ in places}
    consecutive = not rule.spreads or members == set(range(len(members)))
    return consecutive and len(places) == len(members) * len(rule.targets)
