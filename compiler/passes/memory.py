"""What the tensors of a running model come to: closed formulas, from the very code that is
generated."""

from collections.abc import Callable
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from archspec.source.frozen import Frozen
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, as_poly, greatest, letter
from compiler.passes.setting import USUAL, Setting

if TYPE_CHECKING:
    from compiler.shadow import Held, How, Source


class Memory(Frozen):
    """The memory of one program, counted on its generated module when somebody asks.

    Attributes:
        write: gives the module.
        key: of the program's letters.
    """

    write: "Callable[[], Source]"
    key: Letters
    _known: "dict[How, Held]" = field(default_factory=dict, compare=False, repr=False)
    _steps: "dict[How, Poly]" = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def source(self) -> "Source":
        """The module, written once."""
        return self.write()

    @cached_property
    def unknown(self) -> str:
        """What of torch stands in the way of counting; empty where nothing does."""
        from compiler.shadow import UnknownError

        try:
            self.held(USUAL)
        except UnknownError as what:
            return str(what)
        return ""

    def held(self, setting: Setting, training: bool = False) -> "Held":
        """The bytes of one forward over whole sequences. Raises UnknownError."""
        return self._held(self._how(setting, training=training))

    def rows(self, setting: Setting) -> dict[str, tuple[str, Poly]]:
        """What each node keeps for the backward pass: its operator and the bytes of all its uses,
        by its path in the folded program."""
        found: dict[str, tuple[str, Poly]] = {}
        for node, size in self.held(setting, training=True).rows.items():
            path, operator = self.source.nodes[node] if node >= 0 else ("", "")
            _, before = found.get(path, ("", as_poly(0)))
            found[path] = (operator, before + size)
        return found

    def step(self, setting: Setting) -> Poly:
        """The fullest moment of a decoder's step: one new position behind S - 1 cached ones."""
        return self._held(self._how(setting, step=True)).peak

    @cached_property
    def one_way(self) -> str:
        """Why a backward pass is not counted, as a clause; empty where it is."""
        from compiler.shadow import UnknownError

        if self.unknown:
            return f"nothing counts what `{self.unknown}` makes"
        try:
            self.accumulation(USUAL)
        except UnknownError as what:
            return str(what)
        return ""

    def training_step(self, setting: Setting) -> Poly:
        """The fullest moment of a forward and the backward pass behind it, with the gradients of
        weights and without the weights. Raises UnknownError."""
        from compiler.shadow import step_held

        how = self._how(setting, training=True)
        if how not in self._steps:
            found, even = step_held(self.source, self.key, how)
            if not even:
                one, _ = step_held(self.source, self.key, how, batch=1)
                found = either(found, one, self._batch)
            self._steps[how] = found
        return self._steps[how]

    def accumulation(self, setting: Setting) -> Poly:
        """The fullest moment of the same where all weights have gradients already, without those
        and without the weights. What copies several sequences need is in it for a single one too.
        Raises UnknownError."""
        from compiler.shadow import step_held

        how = replace(self._how(setting, training=True), accumulates=True)
        if how not in self._steps:
            self._steps[how], _ = step_held(self.source, self.key, how)
        return self._steps[how]

    @property
    def _batch(self) -> str:
        return next(name for name, known in self.key.key.items() if known.role == "batch")

    def _how(self, setting: Setting, *, training: bool = False, step: bool = False) -> "How":
        """What a setting comes to for a run; both types of two bytes are alike."""
        from compiler.shadow import How

        return How(
            precision="fp32" if setting.precision == "fp32" else "bf16",
            eager=setting.kernel == "eager",
            training=training and "self.training" in self.source.text,
            step=step,
            recompute=setting.forgets if training else "none",
        )

    def _held(self, how: "How") -> "Held":
        """What a run comes to, counted once."""
        if how not in self._known:
            self._known[how] = self._exact(how)
        return self._known[how]

    def _exact(self, how: "How") -> "Held":
        """For any batch: a single sequence spares copies that several need."""
        from compiler.shadow import Held, held

        several = held(self.source, self.key, how)
        if several.even:
            return several
        one = held(self.source, self.key, how, batch=1)
        name = self._batch
        return Held(
            either(several.saved, one.saved, name),
            either(several.peak, one.peak, name),
            either(several.training_peak, one.training_peak, name),
            {
                node: either(size, one.rows.get(node, as_poly(0)), name)
                for node, size in several.rows.items()
            },
            saves=several.saves,
            single=one.saves,
        )


def either(several: Poly, one: Poly, batch: str) -> Poly:
    """The first size, and the second where the batch is one."""
    less = several.at({batch: 1}) - one.at({batch: 1})
    if less == as_poly(0):
        return several
    return several - less * greatest(as_poly(2) - letter(batch), 0)
