"""The lengths that costs are counted at: asked for on the command line, else the model's own."""

from collections.abc import Iterator, Mapping
from typing import Final

from archspec.model.input import Input
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.frozen import Frozen
from archspec.source.span import Span
from archspec.source.suggest import listed
from compiler.ir.letters import Letter
from compiler.ir.program import Program
from compiler.ir.size import as_poly, constant, value
from compiler.ops import LearnedPositions
from compiler.passes.cost import Costs

ASKED: Final = "--at"
ROLES: Final = {"batch": 0, "target": 1, "seen": 2}


class Table(Frozen):
    """A learned table of positions: the length that it bounds, by how many, and its place."""

    letter: str
    places: int
    span: Span


def lengths(
    program: Program, costs: Costs, inputs: Mapping[str, Input], at: Mapping[str, int]
) -> dict[str, int] | tuple[Diagnostic, ...]:
    """A size for every free letter of the costs, or everything that is wrong with those asked for.

    Without `at`: one sequence (B = 1) of each input's `max`. A decoder is counted over a whole
    sequence, so the seen positions S are the new ones T, and one given alone is both; with both,
    T of the S positions are new.
    """
    chosen = {**_defaults(program, costs, inputs), **_paired(costs, at)}
    found = [*_refused(costs, at), *_missing(costs, chosen)]
    if not found:
        found = [*_unordered(costs, chosen, at), *_beyond(program, costs, chosen, at)]
        found += _vanished(program, costs, chosen, at)
    return tuple(found) or {known.name: chosen[known.name] for known in costs.free}


def tables(program: Program, costs: Costs) -> Iterator[Table]:
    """The learned tables of a program whose length is free."""
    for place in program.places():
        operator = place.node.what
        if not isinstance(operator, LearnedPositions) or operator.whole:
            continue
        rows = constant(program.key.fix(operator.R))
        (length, *_) = (str(size) for size in place.node.types[0].shape)
        letter = costs.seen if costs.seen and length == costs.target else length
        if rows is not None:
            yield Table(letter, rows - operator.offset, place.node.span)


def _defaults(program: Program, costs: Costs, inputs: Mapping[str, Input]) -> dict[str, int]:
    sizes = {costs.batch: 1}
    for name, entry in program.main.inputs.items():
        longest = inputs[name].max if name in inputs else None
        free = [str(size) for size in program.main.type(entry).shape if constant(size) is None]
        if longest is not None:
            sizes |= {mark: int(longest) for mark in free if mark not in (costs.batch, costs.seen)}
    if costs.target in sizes:
        sizes[costs.seen] = sizes[costs.target]
    return {
        name: size for name, size in sizes.items() if name in {known.name for known in costs.free}
    }


def _paired(costs: Costs, at: Mapping[str, int]) -> dict[str, int]:
    pair = {costs.target, costs.seen}
    given = pair & set(at)
    if costs.seen and len(given) == 1:
        (alone,) = given
        return {**at, **dict.fromkeys(pair, at[alone])}
    return dict(at)


def _refused(costs: Costs, at: Mapping[str, int]) -> Iterator[Diagnostic]:
    names = [known.name for known in in_order(costs)]
    for name, size in at.items():
        fixed = costs.key.key.get(name)
        if name not in names and fixed is not None and fixed.size is not None:
            path = fixed.said if fixed.said.isidentifier() else "PATH"
            yield _problem(
                "AR0911",
                f"`{name}` is no length: the spec fixes it",
                (at, name),
                f"{fixed.meaning}, {fixed.size}",
                f"change the spec with `--set {path}=…`",
            )
        elif name not in names:
            capital = name.upper() if name.upper() in names else ""
            hint = (
                f"did you mean `{capital}`?"
                if capital
                else f"its lengths are {listed(names, 'and')}"
                if names
                else "it has none"
            )
            yield _problem("AR0910", f"this model has no length `{name}`", (at, name), hint)
        elif size < 1:
            yield _problem("AR0912", f"`{name}` must be at least 1", (at, name), f"{size} is not")


def _missing(costs: Costs, chosen: Mapping[str, int]) -> Iterator[Diagnostic]:
    for known in costs.free:
        if known.name not in chosen:
            yield _problem(
                "AR0913",
                f"no size for `{known.name}`, the {known.meaning}",
                ({}, ""),
                "the model fixes none",
                f"give one: `--at {known.name}=…`",
            )


def _unordered(
    costs: Costs, chosen: Mapping[str, int], at: Mapping[str, int]
) -> Iterator[Diagnostic]:
    if costs.seen and chosen[costs.target] > chosen[costs.seen]:
        new, seen = chosen[costs.target], chosen[costs.seen]
        yield _problem(
            "AR0914",
            f"`{costs.seen}` counts all seen positions, the `{costs.target}` new ones among them",
            (at, costs.seen),
            f"{seen} are fewer than the {new} new ones",
        )


def _beyond(
    program: Program, costs: Costs, chosen: Mapping[str, int], at: Mapping[str, int]
) -> Iterator[Diagnostic]:
    for table in tables(program, costs):
        length = chosen.get(table.letter, 0)
        if length > table.places:
            asked = table.letter if table.letter in at else costs.target
            table_label = Label(table.span, f"a table of {table.places} learned positions")
            yield _problem(
                "AR0915",
                f"the model has no position {length}",
                (at, asked),
                f"at most {table.places}",
                others=(table_label,),
            )


def _vanished(
    program: Program, costs: Costs, chosen: Mapping[str, int], at: Mapping[str, int]
) -> Iterator[Diagnostic]:
    """Lengths that follow from others, where filters leave no place of a sequence."""
    for name, size in costs.key.formulas.items():
        if not size.letters <= set(chosen) or value(size, chosen) >= 1:
            continue
        length = sorted(size.letters)[-1]
        place = Label(_first(program, name), f"leaves no place of {chosen[length]}")
        if length in at:
            short = (f"`{length}` is too short for the filters of this model", (at, length))
            yield _problem("AR0912", *short, "no place is left", "give more", (place,))
        else:
            help_ = "use a smaller kernel, more padding or a longer sequence"
            yield Diagnostic("AR0308", "the kernel is larger than the sequence", place, (), help_)


def _first(program: Program, letter: str) -> Span:
    """Where the spec makes the first value that has this length."""
    nodes = (place.node for place in program.places())
    return next(
        node.span
        for node in nodes
        if any(letter in as_poly(size).letters for found in node.types for size in found.shape)
    )


def _problem(
    code: str,
    message: str,
    asked: tuple[Mapping[str, int], str],
    label: str,
    help_: str = "",
    others: tuple[Label, ...] = (),
) -> Diagnostic:
    at, name = asked
    said = [f"{letter}={size}" for letter, size in at.items()]
    line, index = ",".join(said), list(at).index(name) if name in at else 0
    start = len(",".join(said[:index])) + (2 if index else 1)
    end = start + (len(said[index]) if said else 1)
    place = Span(ASKED, 1, start, 1, end)
    return Diagnostic(code, message, Label(place, label, line), others, help_)


def in_order(costs: Costs) -> list[Letter]:
    """The free letters as people list them: batch, new positions, seen ones, then the others."""
    return sorted(costs.free, key=lambda known: ROLES.get(known.role, len(ROLES)))


def letters_said(costs: Costs, at: Mapping[str, int]) -> str:
    """Lengths as the command line takes them: `B=1,S=1024,T=1024`."""
    return ",".join(f"{known.name}={at[known.name]}" for known in in_order(costs))
