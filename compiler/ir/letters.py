"""Which letter a dimension of a model gets: one vocabulary for names, formulas, diagnostics and
files."""

from dataclasses import dataclass, field
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, Size, as_poly, constant, letter

ROLES: Final[dict[str, tuple[str, str]]] = {
    "batch": ("B", "batch"),
    "target": ("T", "positions"),
    "source": ("S", "source positions"),
    "seen": ("S", "seen positions"),
    "cache": ("C", "cache slots"),
    "set": ("N", "set size"),
    "patches": ("P", "patches"),
    "vocabulary": ("V", "vocabulary"),
    "width": ("D", "width"),
    "hidden": ("M", "mlp width"),
    "heads": ("H", "query heads"),
    "kv_heads": ("G", "key/value heads"),
    "head_dim": ("K", "head width"),
    "layers": ("L", "layers"),
    "experts": ("E", "experts"),
    "active": ("A", "experts per token"),
    "table": ("R", "rows of the position table"),
    "types": ("U", "token types"),
    "image": ("X", "image side"),
    "frame": ("X", "channels of a frame"),
    "strided": ("N", "positions behind a stride"),
    "joined": ("N", "joined positions"),
    "grid": ("J", "patches per side"),
    "patch": ("Q", "patch side"),
}
MOST_FIXED: Final = 20
"""Letters given to fixed sizes; the rest stays for lengths, which cannot do without."""

SPARE: Final = "WYZJUXQRNPAECGKMHLVDST"


class Letter(Frozen):
    """A letter of the key: what it means and, where it is fixed, its size and how the spec said
    it."""

    name: str
    role: str
    meaning: str
    size: int | None = None
    said: str = ""
    formula: Poly | None = None
    """What a length follows from, in other letters, where it is not an input's own."""


@dataclass
class Letters:
    """The key of one program. Equal sizes of one role share a letter; another size takes the next
    free one."""

    key: dict[str, Letter] = field(default_factory=dict)
    dims: dict[str, str] = field(default_factory=dict)
    """The spec's named sizes as they were written: `d_ff` is `4*d_model`."""
    _sizes: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        known = self.key.items()
        self._sizes = {name: one.size for name, one in known if one.size is not None}

    def fixed(self, role: str, size: int, said: str = "", meaning: str = "") -> Poly:
        """The letter of a size that is known when the model is built.

        A model of very many widths runs out of letters: the size is then its number.
        """
        for known in self.key.values():
            if known.role == role and known.size == size:
                return letter(known.name)
        if len(self.key) >= MOST_FIXED:
            return as_poly(size)
        return self._new(role, size, said if said != str(size) else "", meaning)

    def free(self, role: str, meaning: str = "") -> Poly:
        """The letter of a length that is only known when the model runs; each meaning has its
        own."""
        said = meaning or ROLES[role][1]
        for known in self.key.values():
            if known.role == role and known.size is None and known.meaning == said:
                return letter(known.name)
        return self._new(role, None, "", said)

    def derived(self, role: str, size: Size, meaning: str) -> Poly:
        """The letter of a length that follows from others, by a formula in their letters."""
        number = constant(self.fix(size))
        if number is not None:
            return self.fixed(role, number, "", meaning)
        for known in self.key.values():
            if known.formula is not None and known.formula == as_poly(size):
                return letter(known.name)
        return self._new(role, None, "", meaning, as_poly(size))

    def layers(self, number: Size) -> Poly:
        """How often layers run, as the letter of the layers where there are that many."""
        fixed = constant(number)
        if fixed is None or fixed < 2:
            return as_poly(number)
        same = (n for n, k in self.key.items() if k.role == "layers" and k.size == fixed)
        return next(map(letter, same), as_poly(number))

    @property
    def formulas(self) -> dict[str, Poly]:
        """Every letter that follows from others, in those that follow from none."""
        found: dict[str, Poly] = {}
        for name, known in self.key.items():
            if known.formula is not None:
                found[name] = known.formula.at(found)
        return found

    @property
    def sizes(self) -> dict[str, int]:
        """Every letter with a fixed size."""
        return dict(self._sizes)

    def fix(self, size: Size) -> Poly:
        """A size with every fixed letter replaced by its number."""
        found = as_poly(size)
        return found.at(self._sizes) if any(monomial for monomial, _ in found.terms) else found

    def _new(
        self, role: str, size: int | None, said: str, meaning: str, formula: Poly | None = None
    ) -> Poly:
        preferred, usual = ROLES[role]
        name = next((mark for mark in (preferred, *SPARE) if mark not in self.key), None)
        if name is None:
            raise OverflowError("a model has more kinds of dimension than there are letters")
        self.key[name] = Letter(name, role, meaning or usual, size, said, formula)
        if size is not None:
            self._sizes[name] = size
        return letter(name)
