"""Every component by the word that names it in a spec: the language's own, then extensions.

Packages are asked for extensions when a spec has a word that is not the language's, or when all
words are listed: looking through what is installed takes longer than reading a spec.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.components.concat import Concat
from archspec.components.contrast import Contrast
from archspec.components.conv import Conv
from archspec.components.conv_stem import ConvStem
from archspec.components.dropout import Dropout
from archspec.components.embed import Embed
from archspec.components.extension import Extensions, installed
from archspec.components.linear import Linear
from archspec.components.mean_of import MeanOf
from archspec.components.mlp import Mlp
from archspec.components.moe import Moe
from archspec.components.norm import Norm
from archspec.components.patches import Patches
from archspec.components.pool import Pool
from archspec.components.positions import Positions
from archspec.components.rnn import Rnn
from archspec.components.unembed import Unembed
from archspec.model.words import NODE_KEYS, SUBLAYER_KEYS

OWN: dict[str, type[Component]] = {
    kind.word: kind
    for kind in (
        Embed,
        Positions,
        Patches,
        ConvStem,
        Attention,
        Mlp,
        Moe,
        Conv,
        Rnn,
        Norm,
        Dropout,
        Pool,
        Linear,
        Unembed,
        Concat,
        MeanOf,
        Contrast,
    )
}
TAKEN = frozenset((*OWN, "stack", *NODE_KEYS, *SUBLAYER_KEYS))
"""What stands where a component can, and is no extension."""

JOINING = ("concat", "mean_of", "contrast")
"""Components with several inputs."""

LATER = ("ssm", "window2d", "merge")
"""Components of the language that this version does not have yet."""


class Catalog(Mapping[str, type[Component]]):
    """Components by their words."""

    def __getitem__(self, word: str) -> type[Component]:
        if word in TAKEN:
            return OWN[word]
        return extensions().kinds[word]

    def __iter__(self) -> Iterator[str]:
        return chain(OWN, extensions().kinds)

    def __len__(self) -> int:
        return len(OWN) + len(extensions().kinds)


COMPONENTS = Catalog()


def extensions() -> Extensions:
    """What installed packages add."""
    return installed(TAKEN)


def mixes(word: str) -> bool:
    """Whether it is a component that may stand in a sub-layer."""
    return word in COMPONENTS and COMPONENTS[word].mixer


def mixers() -> tuple[str, ...]:
    """The components that may stand in a sub-layer."""
    return tuple(filter(mixes, COMPONENTS))
