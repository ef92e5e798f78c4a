"""Choosing the line breaks: a group stays on one line if what follows fits up to the next break."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from compiler.backends.torch.layout.doc import (
    BestFit,
    Doc,
    FitsExpanded,
    Group,
    IfBroken,
    Indent,
    Line,
    ParenthesizeToFit,
    Suffix,
    forces_break,
)

WIDTH = 100
INDENT = 4


class Measure(Enum):
    """How far a measurement goes: to the first break, or over all lines, with a limit or not."""

    FIRST_LINE = auto()
    ALL_LINES = auto()
    ALL_LINES_UNLIMITED = auto()


@dataclass(frozen=True)
class Args:
    """How a document is printed: its indentation in columns, broken or flat, measured how far."""

    indent: int
    flat: bool = False
    measure: Measure = Measure.FIRST_LINE

    def deeper(self) -> "Args":
        """One level of indentation more."""
        return replace(self, indent=self.indent + INDENT)


Frame = tuple[Args, Doc]


@dataclass
class Printer:
    """Prints one document of Wadler's kind; `print` may be called once.

    The algorithm is Prettier's with alternatives, as the Ruff formatter has it: a group stays flat
    if everything up to the next possible break after it fits.
    """

    depth: int
    out: list[str] = field(default_factory=list)
    stack: list[Frame] = field(default_factory=list)
    column: int = 0
    pending_indent: int = 0
    measured: bool = False
    groups: dict[int, bool] = field(default_factory=dict)
    suffixes: list[str] = field(default_factory=list)

    def print(self, doc: Doc) -> list[str]:
        """The physical lines of `doc`, indented by `depth` levels."""
        self.pending_indent = INDENT * self.depth
        self.stack.append((Args(self.pending_indent), doc))
        while self.stack:
            args, top = self.stack.pop()
            self.step(args, top)
        self.out += self.suffixes
        return "".join(self.out).split("\n")

    def step(self, args: Args, doc: Doc) -> None:
        """Print one document or put its parts on the stack."""
        match doc:
            case str():
                self.write(doc)
            case tuple():
                self.stack += [(args, part) for part in reversed(doc)]
            case Line():
                self.line(args, doc)
            case Indent():
                self.stack.append((self.indented(args, doc), doc.doc))
            case IfBroken():
                flat = args.flat if doc.group is None else self.groups[doc.group]
                self.stack.append((args, doc.flat if flat else doc.broken))
            case Group():
                self.stack.append((self.group_args(args, doc), doc.doc))
            case FitsExpanded():
                if doc.group is None or self.groups[doc.group]:
                    self.measured = False
                self.stack.append((args, doc.doc))
            case BestFit():
                self.best_fit(args, doc)
            case ParenthesizeToFit():
                self.parenthesize_to_fit(args, doc)
            case Suffix():
                self.column += doc.width
                self.suffixes.append(doc.text)

    def write(self, text: str) -> None:
        if not text:
            return
        text = " " * self.pending_indent + text
        self.pending_indent = 0
        self.column += len(text)
        self.out.append(text)

    def line(self, args: Args, line: Line) -> None:
        if args.flat and line is not Line.HARD:
            self.write(line.value)
            return
        self.out += [*self.suffixes, "\n"]
        self.suffixes.clear()
        self.column, self.pending_indent, self.measured = 0, args.indent, False

    def indented(self, args: Args, doc: Indent) -> Args:
        return args.deeper() if doc.group is None or not self.groups[doc.group] else args

    def group_args(self, args: Args, doc: Group) -> Args:
        if doc.within is not None and self.groups[doc.within]:
            return args
        flat = not doc.expand and self.stays_flat(args, doc.doc, doc.id)
        if doc.id is not None:
            self.groups[doc.id] = flat
        return replace(args, flat=flat)

    def stays_flat(self, args: Args, doc: Doc, id: int | None) -> bool:
        if args.flat and self.measured:
            return True
        self.measured = True
        if id is not None:
            self.groups[id] = True
        return self.fits([(replace(args, flat=True), doc)])

    def best_fit(self, args: Args, doc: BestFit) -> None:
        if args.flat and self.measured:
            self.stack.append((args, doc.variants[0]))
            return
        self.measured = True
        flat = replace(args, flat=True)
        for variant in doc.variants[:-1]:
            if self.fits([(flat, variant)]):
                self.stack.append((flat, variant))
                return
        self.stack.append((replace(args, flat=False), doc.variants[-1]))

    def parenthesize_to_fit(self, args: Args, doc: ParenthesizeToFit) -> None:
        flat = self.stays_flat(args, doc.doc, doc.id)
        if not flat:
            self.groups[doc.id] = False
            flat = not self.fits(_parenthesized(replace(args, measure=Measure.ALL_LINES), doc.doc))
        self.groups[doc.id] = flat
        unchanged: list[Frame] = [(replace(args, flat=True), doc.doc)]
        self.stack += unchanged if flat else _parenthesized(args, doc.doc)

    def fits(self, frames: list[Frame]) -> bool:
        """Whether `frames` (last first) and what follows them fit, up to the first line break."""
        return Measurement(self, frames).fits()


def _parenthesized(args: Args, doc: Doc) -> list[Frame]:
    """`doc` between parentheses on a line of its own, last first."""
    outer = replace(args, flat=False)
    inner = outer.deeper()
    return [(outer, ")"), (outer, Line.HARD), (inner, doc), (inner, Line.HARD), (outer, "(")]


class Measurement:
    """Looks ahead without printing; only the modes of named groups are noted in the printer."""

    def __init__(self, printer: Printer, frames: list[Frame]) -> None:
        self.printer = printer
        self.stack = frames
        self.rest: Iterator[Frame] = iter(reversed(printer.stack))
        self.column = printer.column + printer.pending_indent

    def fits(self) -> bool:
        while True:
            frame = self.stack.pop() if self.stack else next(self.rest, None)
            if frame is None:
                return True
            verdict = self.step(*frame)
            if verdict is not None:
                return verdict

    def step(self, args: Args, doc: Doc) -> bool | None:
        """True or False once that is known, None to go on."""
        groups = self.printer.groups
        match doc:
            case str():
                return self.text(args, len(doc))
            case tuple():
                self.stack += [(args, part) for part in reversed(doc)]
            case Line():
                return self.line(args, doc)
            case Indent():
                self.stack.append((self.printer.indented(args, doc), doc.doc))
            case IfBroken():
                flat = args.flat if doc.group is None else groups[doc.group]
                self.stack.append((args, doc.flat if flat else doc.broken))
            case Group():
                if doc.within is None or not groups[doc.within]:
                    args = replace(args, flat=args.flat and not doc.expand)
                if doc.id is not None:
                    groups[doc.id] = args.flat
                self.stack.append((args, doc.doc))
            case FitsExpanded():
                return self.fits_expanded(args, doc)
            case BestFit() if args.flat:
                self.stack.append((replace(args, measure=Measure.FIRST_LINE), doc.variants[0]))
            case BestFit():
                self.stack.append((args, doc.variants[-1]))
            case ParenthesizeToFit():
                groups[doc.id] = args.flat
                self.stack.append((args, doc.doc))
            case Suffix():
                return self.text(replace(args, measure=Measure.FIRST_LINE), doc.width)
        return None

    def text(self, args: Args, width: int) -> bool | None:
        self.column += width
        unlimited = args.measure is Measure.ALL_LINES_UNLIMITED
        return False if self.column > WIDTH and not unlimited and width else None

    def line(self, args: Args, line: Line) -> bool | None:
        if args.flat:
            return True if line is Line.HARD else self.text(args, len(line.value))
        if args.measure is Measure.FIRST_LINE:
            return True
        self.column = args.indent
        return None

    def fits_expanded(self, args: Args, doc: FitsExpanded) -> bool | None:
        if args.flat and (doc.group is None or self.printer.groups[doc.group]):
            args = replace(args, flat=False, measure=Measure.ALL_LINES_UNLIMITED)
        elif args.flat and forces_break(doc.doc):
            return False
        self.stack.append((args, doc.doc))
        return None
