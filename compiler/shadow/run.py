"""A generated module run without torch, and what its tensors came to."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from types import CodeType
from typing import Any, Final, Literal

from archspec.source.frozen import Frozen
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, as_poly, constant, letter, value
from compiler.ir.types import TensorType
from compiler.shadow.backward import go_back
from compiler.shadow.encoded import encoded
from compiler.shadow.kinds import BOOLEAN, INT64, KINDS
from compiler.shadow.length import Length
from compiler.shadow.loss import cross_entropy, mean_square
from compiler.shadow.names import namespace
from compiler.shadow.peaks import Amounts
from compiler.shadow.saves import NOTHING_SAVED, Saves, saves
from compiler.shadow.strides import dense
from compiler.shadow.tape import SEVERAL, Recompute, Storage, Tape
from compiler.shadow.tensor import Tensor
from compiler.shadow.unwinding import step_peak

TYPES: Final = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
SAMPLE: Final = 40
"""Where run-time lengths begin in a run; formulas hold for all."""


class Held(Frozen):
    """The bytes of one forward over whole sequences, beside weights and inputs.

    Attributes:
        saved: what the backward pass needs, every storage once.
        peak: the most that is there at once without gradients.
        training_peak: the most that is there at once where everything saved stays.
        rows: what of `saved` each of the source's nodes keeps first.
        even: whether a single sequence is no different from several.
        saves: the same tensor by tensor.
        single: those of a single sequence, where they differ.
    """

    saved: Poly
    peak: Poly
    training_peak: Poly
    rows: Mapping[int, Poly] = field(default_factory=dict)
    even: bool = True
    saves: Saves = NOTHING_SAVED
    single: Saves | None = None


class Source(Frozen):
    """A generated module: its code, its model class and the inputs that a call may give: tensors,
    caches that may be absent, and the number of positions that these hold."""

    text: str
    name: str
    inputs: Mapping[str, TensorType]
    classes: bool = False
    """Whether its first result scores classes, for training."""
    nodes: tuple[tuple[str, str], ...] = ()
    """What marks in the code are of: paths in the folded program, and operators."""

    @cached_property
    def code(self) -> CodeType:
        """The text, compiled once for all runs."""
        return compile(self.text, "<shadow>", "exec")

    def __getstate__(self) -> dict[str, object]:
        """For copies, in other processes too, which compile the text anew."""
        return {name: found for name, found in vars(self).items() if name != "code"}


@dataclass(frozen=True)
class How:
    """What a run depends on beside lengths: the type of the model, and the rest as in `Tape`.

    `training` is the mode of the model: dropout drops, routers add to the loss. A `step` is that of
    a decoder: one new position behind S - 1 cached ones.
    """

    precision: Literal["fp32", "bf16", "fp16"] = "bf16"
    eager: bool = False
    training: bool = False
    step: bool = False
    recompute: Recompute = "none"
    thin_masks: bool = True
    in_place: bool = True
    accumulates: bool = False


@contextmanager
def _counted() -> Iterator[None]:
    """Python's own counting says when a tensor goes; nobody looks for cycles meanwhile, which takes
    a quarter of the time and finds none."""
    watched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if watched:
            gc.enable()


@_counted()
def step_held(source: Source, key: Letters, how: How, batch: int = SEVERAL) -> tuple[Poly, bool]:
    """The most that is there at once in a forward and its backward pass, gradients of weights with
    it, and whether a single sequence is no different from several. Raises UnknownError."""
    tape, model, given = _ready(source, key, how, batch, backwards=True)
    tape.running = True
    result = model(**given)
    first = result[0] if isinstance(result, tuple) else result
    loss = cross_entropy(first) if source.classes else mean_square(first)
    del result, first
    gradients = go_back(loss)
    tape.running = False
    found = step_peak(Amounts(tape, key.sizes))
    del gradients
    tape.gradients.clear()
    return found, not tape.uneven


@_counted()
def held(source: Source, key: Letters, how: How, batch: int = SEVERAL) -> Held:
    """Run a module over sequences of any length. Raises UnknownError where torch's shadow lacks
    something."""
    tape, model, given = _ready(source, key, how, batch)
    run = model
    if how.step and hasattr(model, "decode"):
        given |= encoded(model, given)
        takes = signature(model.decode).parameters
        run, given = model.decode, {name: x for name, x in given.items() if name in takes}
    tape.running = True
    result = run(**given)
    tape.running = False
    amounts = Amounts(tape, key.sizes)
    found = Held(
        amounts.saved(),
        amounts.peak(False),
        amounts.peak(True),
        amounts.rows(),
        not tape.uneven,
        saves(tape),
    )
    del result
    return found


def _ready(
    source: Source, key: Letters, how: How, batch: int, backwards: bool = False
) -> tuple[Tape, Any, dict[str, Any]]:
    """A tape, a model and what it is called with."""
    lengths = _lengths(key, batch, how.step)
    layers = {int(n): n for name, n in lengths.items() if key.key[name].role == "layers"}
    kind = KINDS[TYPES[how.precision]]
    tape = Tape(
        kind,
        how.eager,
        how.recompute,
        how.thin_masks,
        layers,
        _named(key, "batch"),
        backwards,
        how.in_place,
        how.accumulates,
    )
    names: dict[str, Any] = {
        **namespace(tape),
        **lengths,
        "_enter": tape.enter,
        "_leave": tape.leave,
    }
    exec(source.code, names)
    model = names[source.name]()
    names["nn"].Module.training = how.training
    seen = _named(key, "seen") if how.step else ""
    return tape, model, dict(_inputs(tape, source.inputs, lengths, seen))


def _lengths(key: Letters, batch: int, step: bool) -> dict[str, int]:
    """Every letter as a length. The seen positions are the new ones, or one of them is new and the
    cache has a slot for each."""
    found: dict[str, int] = {}
    for place, (name, known) in enumerate(key.key.items()):
        if known.size is not None:
            found[name] = Length(known.size, letter(name))
        elif known.role == "batch":
            found[name] = Length(batch, letter(name), free=True)
        elif known.formula is None:
            found[name] = Length(SAMPLE + 8 * place, letter(name), free=True)
    target, seen, slots = (_named(key, role) for role in ("target", "seen", "cache"))
    if step:
        found |= {target: 1, slots: found[seen]}
    elif seen and target:
        found[seen] = found[target]
    numbers = {name: int(size) for name, size in found.items()}
    for name, meant in key.formulas.items():
        found[name] = Length(value(meant, numbers), meant, free=True)
    return found


def _named(key: Letters, role: str) -> str:
    """The first letter of a role; empty where there is none."""
    return next((name for name, known in key.key.items() if known.role == role), "")


def _inputs(
    tape: Tape, inputs: Mapping[str, TensorType], lengths: Mapping[str, int], seen: str
) -> Iterator[tuple[str, "Tensor | int"]]:
    """What a call gives: all that must be there, and the caches for a step, where `seen` is the
    letter of what they hold then."""
    for name, found in inputs.items():
        if not found.shape:
            if seen:
                yield name, lengths[seen] - 1
        elif not found.optional or (seen and found.element == "float"):
            yield name, _input(tape, found, lengths)


def _input(tape: Tape, found: TensorType, lengths: Mapping[str, int]) -> Tensor:
    shape = tuple(_size(size, lengths) for size in found.shape)
    kind = {"int": INT64, "bool": BOOLEAN, "float": tape.model}[found.element]
    return Tensor(tape, Storage(tape, None), shape, dense(shape), kind, None)


def _size(size: Any, lengths: Mapping[str, int]) -> int:
    poly = as_poly(size)
    number = constant(poly)
    if number is not None:
        return number
    name = str(poly)
    if name in lengths:
        return lengths[name]
    numbers = {letter: int(each) for letter, each in lengths.items()}
    return Length(value(poly, numbers), poly, free=True)
