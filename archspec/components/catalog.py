"""Every component by the word that names it in a spec: the language's own, then extensions."""

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.components.concat import Concat
from archspec.components.contrast import Contrast
from archspec.components.conv import Conv
from archspec.components.conv_stem import ConvStem
from archspec.components.dropout import Dropout
from archspec.components.embed import Embed
from archspec.components.extension import extensions
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
EXTENSIONS = extensions(frozenset({"stack", "parallel", *OWN}))
COMPONENTS: dict[str, type[Component]] = {**OWN, **EXTENSIONS.kinds}

MIXERS = tuple(word for word, kind in COMPONENTS.items() if kind.mixer)
"""Components that may stand in a sub-layer."""

JOINING = ("concat", "mean_of", "contrast")
"""Components with several inputs."""

LATER = ("ssm", "window2d", "merge")
"""Components of the language that this version does not have yet."""
