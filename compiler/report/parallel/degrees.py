"""How a model is spread over devices: a number of ranks for each way of doing it."""

from fractions import Fraction
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, letter, whole

WAYS: Final[dict[str, str]] = {
    "tp": "ranks that share every layer",
    "sp": "1 where they share the sequence too, between their maps, 0 where each has it whole",
    "pp": "stages that share the layers",
    "dp": "replicas",
    "zero": "what replicas share: 1 the optimizer, 2 gradients too, 3 weights too",
    "ep": "ranks that share the experts",
    "cp": "ranks that share a sequence",
    "microbatches": "forwards and backwards in a step",
    "interleave": "pieces of the model that each stage has",
}
"""The words of `--parallel`, with what they count."""
MOST: Final[dict[str, int]] = {"zero": 3, "sp": 1}
LEAST: Final[dict[str, int]] = {"zero": 0, "sp": 0}
LARGEST: Final = 2**20
LETTERS: Final = {
    "tp": "t",
    "dp": "d",
    "cp": "c",
    "ep": "x",
    "pp": "p",
    "interleave": "v",
    "microbatches": "m",
}
"""The letters of degrees in formulas; `pp` and `interleave` are in those for any stage alone."""
T, D, C, X, STAGES, PIECES, M = map(letter, LETTERS.values())


class Degrees(Frozen):
    """Degrees of parallelism; experts are shared out among all ranks of a stage.

    Attributes:
        tp: tensor parallelism (Shoeybi et al. 2019).
        sp: 1 for sequence parallelism beside it (Korthikanti et al. 2022), 0 for none.
        pp: pipeline stages, one forward one backward (Narayanan et al. 2021).
        dp: replicas. With `cp` they are the group that gradients are summed over.
        zero: what of a rank's states that group shares (Rajbhandari et al. 2020; 3 is FSDP).
        ep: expert parallelism; an expert is on one rank whole.
        cp: context parallelism by ring attention (Liu et al. 2023).
        microbatches: in one step, each of B sequences.
        interleave: pieces of the model on each stage.
    """

    tp: int = 1
    sp: int = 1
    pp: int = 1
    dp: int = 1
    zero: int = 0
    ep: int = 1
    cp: int = 1
    microbatches: int = 1
    interleave: int = 1

    def __post_init__(self) -> None:
        for name in WAYS:
            object.__setattr__(self, name, whole(name, getattr(self, name)))
            least, most = LEAST.get(name, 1), MOST.get(name, LARGEST)
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"`{name}` must lie between {least} and {most}")

    @property
    def ranks(self) -> int:
        """All devices together."""
        return self.tp * self.pp * self.dp * self.cp

    @property
    def dense_group(self) -> int:
        """The ranks that hold the same of what is no expert."""
        return self.dp * self.cp

    @property
    def expert_group(self) -> int:
        """The ranks that hold the same experts; the degrees must fit."""
        return self.tp * self.dp * self.cp // self.ep

    @property
    def pieces(self) -> int:
        """The pieces that the layers are cut into along the pipeline."""
        return self.pp * self.interleave

    @property
    def bubble(self) -> Fraction:
        """The time in which a stage waits, as a share of that in which it works: (p - 1) / (v·m)
        (Narayanan et al. 2021, section 2.2)."""
        return Fraction(self.pp - 1, self.interleave * self.microbatches)

    @property
    def sizes(self) -> dict[str, int]:
        """The letters of a stage's formulas with their sizes."""
        names = ("tp", "dp", "cp", "ep", "microbatches")
        return {LETTERS[name]: getattr(self, name) for name in names}

    def __str__(self) -> str:
        """As the command line takes them, those that do something."""
        usual = Degrees()
        said = {name: getattr(self, name) for name in WAYS}
        changed = {name: n for name, n in said.items() if n != getattr(usual, name)}
        return ",".join(f"{name}={n}" for name, n in (changed or {"dp": 1}).items())


def shard(size: Poly, ranks: Poly) -> Poly:
    """The largest of equal parts: what is over goes to the first ranks, one each."""
    alone = ranks == as_poly(1) or not size.terms
    return size if alone else (size + ranks - 1) // ranks
