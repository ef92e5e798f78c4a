"""Tables that a spec ties and a checkpoint holds twice: whether the two are one."""

from collections.abc import Mapping

from archspec.source.frozen import Frozen
from compiler.importers.claims import Claims
from compiler.importers.lazy import same


class Rift(Frozen):
    """A parameter that is tied to its owner's but differs from it, and the keys of both."""

    alias: str
    owner: str
    keys: tuple[tuple[str, ...], tuple[str, ...]]


def rifts(claims: Claims, aliases: Mapping[str, str]) -> tuple[Rift, ...]:
    """The ties that a checkpoint does not keep; both tensors of each tie are read in pieces."""
    found = []
    for alias, owner in aliases.items():
        if alias not in claims.made or owner not in claims.made:
            continue
        lent, owned = claims.made[alias][0], claims.made[owner][0]
        if not same(lent.tensor, owned.tensor):
            found.append(Rift(alias, owner, (lent.keys, owned.keys)))
    return tuple(found)
