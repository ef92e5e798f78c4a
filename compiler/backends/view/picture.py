"""A program as nested frames of boxes and wires: what every picture is drawn from."""

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from archspec.source.frozen import Frozen

TIMES: Final = "\N{MULTIPLICATION SIGN}"
Kind = Literal["input", "port", "operator", "output"]


class Box(Frozen):
    """Something without an inside: an operator, an input or output of the model, a port of a frame.

    `note` says what it is where the title is only its name; `family` is the operator's class.
    `share` is its part of the model's work, of 1000, where that is to be drawn; `key` names it for
    whoever redraws it.
    """

    id: str
    title: str
    kind: Kind
    note: str = ""
    family: str = ""
    share: int = 0
    key: str = ""


class Outlet(Frozen):
    """Output `port` of a part."""

    part: str
    port: int


class Wire(Frozen):
    """A value on its way to input `slot` of a part; `label` is its shape."""

    source: Outlet
    target: str
    slot: int
    label: str
    optional: bool = False


class Frame(Frozen):
    """Parts with wires between them: a component, a layer, a stack, or the whole model.

    `ports` are the boxes where wires come in from outside, in the order of the inputs; `outputs`
    say where each output is inside. `times` is how often the inside repeats.
    """

    id: str
    title: str
    parts: "tuple[Part, ...]"
    wires: tuple[Wire, ...]
    ports: tuple[str, ...]
    outputs: tuple[Outlet, ...]
    times: int = 1

    @property
    def heading(self) -> str:
        """Its title, with the number of rounds where it repeats."""
        return f"{self.title} {TIMES} {self.times}" if self.times > 1 else self.title

    def part(self, id_: str) -> "Part":
        """A part by its id."""
        return next(part for part in self.parts if part.id == id_)

    def boxes(self) -> Iterator[Box]:
        """Every box, those of inner frames too, in order."""
        for part in self.parts:
            if isinstance(part, Box):
                yield part
            else:
                yield from part.boxes()

    def frames(self) -> "Iterator[Frame]":
        """This frame and every one inside it."""
        yield self
        for part in self.parts:
            if isinstance(part, Frame):
                yield from part.frames()

    def through(self) -> Iterator[tuple[str, str, Wire]]:
        """Every wire as a pair of boxes, through the borders of frames."""
        for frame in self.frames():
            for wire in frame.wires:
                yield origin(frame, wire.source), entrance(frame, wire), wire


Part: TypeAlias = "Box | Frame"


def origin(frame: Frame, outlet: Outlet) -> str:
    """The box that a value comes from."""
    part = frame.part(outlet.part)
    return part.id if isinstance(part, Box) else origin(part, part.outputs[outlet.port])


def entrance(frame: Frame, wire: Wire) -> str:
    """The box that a wire goes to."""
    part = frame.part(wire.target)
    return part.id if isinstance(part, Box) else part.ports[wire.slot]
