"""Which parameter each tensor of a checkpoint becomes, before anything is judged."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from archspec.source.frozen import Frozen
from compiler.importers.lazy import Lazy
from compiler.importers.misfit import Misfit
from compiler.importers.operators import Shape, Sizes
from compiler.importers.prefix import read_names
from compiler.importers.rename import forward, targets_of
from compiler.importers.rules import Rule, Rules
from compiler.importers.template import Captures


class Claim(Frozen):
    """A tensor for a parameter, and the keys of the file that it is made of."""

    keys: tuple[str, ...]
    tensor: Lazy


class KeyMisfit(Frozen):
    """Keys of the file whose rule does not fit their shapes, and the parameters it should give."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    reason: str


class Claims(Frozen):
    """What rules make of a file.

    `made`: the claims on each parameter. `unused`: keys without a rule, or whose parameters the
    model lacks; these are the values.
    """

    made: Mapping[str, tuple[Claim, ...]]
    unused: Mapping[str, tuple[str, ...]]
    dropped: tuple[str, ...]
    misfits: tuple[KeyMisfit, ...]

    @property
    def misfit_targets(self) -> frozenset[str]:
        """Parameters that are missing because a rule did not fit."""
        return frozenset(name for misfit in self.misfits for name in misfit.targets)

    def keys_of(self, name: str) -> tuple[str, ...]:
        """The keys that a parameter is made of."""
        return self.made[name][0].keys if name in self.made else ()


@dataclass
class _Group:
    rule: Rule
    captures: Captures
    keys: dict[int | None, str] = field(default_factory=dict)


def claim(
    tensors: Mapping[str, Lazy], rules: Rules, shapes: Mapping[str, Shape], sizes: Sizes
) -> Claims:
    """Apply `rules` to all `tensors`, under the prefix that fits best."""

    def known(name: str) -> bool:
        found = rules.find(name)
        return found is not None and all(target in shapes for target in targets_of(*found))

    heads = {rule.source.head for rule in rules.rules[:1000]} - {""}
    names = read_names(tensors.keys(), known, heads)
    dropped: list[str] = []
    unused: dict[str, tuple[str, ...]] = {}
    groups: dict[tuple[object, ...], _Group] = {}
    for key, name in names.items():
        found = rules.find(name)
        targets = targets_of(*found) if found else ()
        if found is None or not all(target in shapes for target in targets):
            unused[key] = tuple(target for target in targets if target not in shapes)
        elif not found[0].targets:
            dropped.append(key)
        else:
            _join_group(groups, key, name, *found)
    made: dict[str, list[Claim]] = {}
    misfits: list[KeyMisfit] = []
    for group in groups.values():
        _settle(group, tensors, shapes, sizes, made, misfits)
    kept = {name: tuple(claims) for name, claims in made.items()}
    return Claims(kept, unused, tuple(dropped), tuple(misfits))


def _join_group(
    groups: dict[tuple[object, ...], _Group], key: str, name: str, rule: Rule, captures: Captures
) -> None:
    """Each key is a group of its own, except those that a stack puts together."""
    if not rule.gathers:
        groups[key,] = _Group(rule, captures, {None: key})
        return
    common = {k: said for k, said in captures.items() if k != "j"}
    prefix = key.removesuffix(name) if key.endswith(name) else ""
    identity = (prefix, rule.source.text, *sorted(common.items()))
    group = groups.setdefault(identity, _Group(rule, common))
    group.keys[int(captures["j"])] = key


def _settle(
    group: _Group,
    tensors: Mapping[str, Lazy],
    shapes: Mapping[str, Shape],
    sizes: Sizes,
    made: dict[str, list[Claim]],
    misfits: list[KeyMisfit],
) -> None:
    members = {j: tensors[key] for j, key in group.keys.items()}
    result = forward(group.rule, group.captures, members, shapes, sizes)
    keys = tuple(group.keys.values())
    if isinstance(result, Misfit):
        targets = targets_of(group.rule, group.captures)
        misfits.append(KeyMisfit(keys, targets, result.reason))
        return
    strangers = [name for name in result if name not in shapes]
    if strangers:
        reason = f"`{strangers[0]}` is not a parameter of the spec"
        misfits.append(KeyMisfit(keys, tuple(result), reason))
        return
    for name, tensor in result.items():
        made.setdefault(name, []).append(Claim(keys, tensor))


def alike(misfits: Iterable[KeyMisfit]) -> list[KeyMisfit]:
    """Those of one reason as one."""
    reasons: dict[str, list[KeyMisfit]] = {}
    for misfit in misfits:
        reasons.setdefault(misfit.reason, []).append(misfit)
    return [
        KeyMisfit(
            tuple(key for each in found for key in each.keys),
            tuple(name for each in found for name in each.targets),
            reason,
        )
        for reason, found in reasons.items()
    ]
