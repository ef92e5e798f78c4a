"""What `archc run` is given, as a request, and what comes back, on the terminal or in a file."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.answer import CannotAnswer
from compiler.cli.sources import DASH
from compiler.cli.tell import note, tell, tell_json
from compiler.replacing import check_place

if TYPE_CHECKING:
    from compiler.runtime.ask import Asked
    from compiler.runtime.sampling import Sampling

RAW, VECTORS = ".npz", ".npy"


def asked_things(given: tuple[str, ...]) -> tuple[str, ...]:
    """What is given, with the lines of stdin in the place of `-`; raises `CannotAnswer` where
    there are none."""
    if DASH not in given:
        return given
    if given.count(DASH) > 1:
        raise CannotAnswer("`-` is given twice")
    lines = [line for line in sys.stdin.read().splitlines() if line.strip()]
    if not lines:
        raise CannotAnswer("stdin has no words")
    place = given.index(DASH)
    return (*given[:place], *lines, *given[place + 1 :])


def id_list(option: str, said: str | None) -> tuple[int, ...] | None:
    """The ids of an option such as `2,7`; raises `CannotAnswer` for anything else."""
    from compiler.runtime.given import parse_ids

    if said is None:
        return None
    if "=" in said:
        raise CannotAnswer(f"`{option}` takes ids, as `2,7`")
    return tuple(parse_ids([said], option)[option][0])


def sampling_of(
    temperature: float | None, top_k: int | None, top_p: float | None, seed: int | None
) -> "Sampling":
    """How ids are chosen: drawn where a number of the draw is given, else the likeliest.

    Raises `CannotAnswer` for a seed where nothing is drawn.
    """
    from compiler.runtime.sampling import Sampling

    drawn = top_k is not None or top_p is not None
    usual = 1.0 if drawn else 0.0
    chosen = usual if temperature is None else temperature
    if seed is not None and chosen == 0:
        raise CannotAnswer(
            "`--seed` has no say where the likeliest id is taken",
            "draw by `--temperature`, `--top-k` or `--top-p`",
        )
    return Sampling(chosen, top_k, top_p, seed or 0)


class Shown:
    """How an answer is shown: streamed, told as a whole, as one document, or in a file."""

    def __init__(self, *, as_json: bool, out: str | None, nodes: bool = False) -> None:
        """With `nodes` a document lists them. Raises `CannotAnswer` for a file of another kind."""
        self._nodes = nodes
        self._as_json, self._out = as_json, None if out is None else Path(out)
        if self._out is not None and self._out.suffix not in (RAW, VECTORS):
            raise CannotAnswer(f"`--out` is a file `{RAW}` of outputs or `{VECTORS}` of vectors")
        if self._out is not None:
            check_place(self._out)
        self._streamed = False

    @property
    def raw(self) -> bool:
        """Whether outputs are wanted as they are."""
        return self._out is not None and self._out.suffix == RAW

    @property
    def stream(self) -> Callable[[str], None] | None:
        """What words go to as they come."""
        return None if self._as_json or self._out is not None else self._piece

    def tell(self, build: str, asked: "Asked") -> None:
        """Show what a build said."""
        if self._out is not None:
            _save(self._out, asked)
        if self._as_json:
            said = asked.said.document() if self._out is None else {"out": str(self._out)}
            if self._nodes:
                said = {"nodes": [node.document() for node in asked.nodes], **said}
            tell_json("run", {"ok": True, "build": build, **said})
        elif self._out is None and not self._streamed:
            tell(asked.said.text())

    def end(self) -> None:
        """Close the line of words that came, also where no more could."""
        if self._streamed:
            tell("\n")

    def _piece(self, text: str) -> None:
        self._streamed = True
        sys.stdout.write(text)
        sys.stdout.flush()


def note_run(asked: "Asked") -> None:
    """Say when ids came, and where the nodes ran."""
    from compiler.runtime.placed import placements

    if asked.pace is not None:
        note(asked.pace.text())
    note(f"nodes: {placements(asked.nodes) or 'this ONNX Runtime does not say where they ran'}")


def _save(out: Path, asked: "Asked") -> None:
    from compiler.runtime.outputs import Outputs
    from compiler.runtime.vectors import Vectors

    kind = Outputs if out.suffix == RAW else Vectors
    if not isinstance(asked.said, kind):
        wanted = "outputs" if kind is Outputs else "vectors"
        raise CannotAnswer(f"`{out}` is for {wanted}, and this model gave none")
    asked.said.save(out)
