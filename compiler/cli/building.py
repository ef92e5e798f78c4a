"""What `archc build` can be asked for: build, compare with what is there, or watch."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.cli.each import tell_each
from compiler.cli.progress import Progress
from compiler.cli.sources import SUFFIXES, check_weights
from compiler.cli.target import target_of
from compiler.cli.tell import complain, note, tell, tell_diagnostics, tell_json
from compiler.ir.target import Target
from compiler.pipeline import Built, build, check_generated
from compiler.pipeline.places import places

KINDS = ("torch", "onnx", "report")
PAUSE = 0.25  # seconds between two looks at the specs
Words: TypeAlias = tuple[str, str | None, str, tuple[str, ...]]
"""`--target`, `--precision`, `--logits` and every `--precision-map`."""
PLAIN: Final[tuple[Words, ...]] = (
    ("portable", None, "last", ()),
    ("portable", "fp32", "last", ()),
)
"""Those that ask for nothing."""


class Order(Frozen):
    """What to build and how."""

    paths: tuple[str, ...]
    settings: tuple[str, ...]
    emit: tuple[str, ...]
    weights: str
    out: str | None
    target: Target
    verify: bool

    @classmethod
    def of(
        cls,
        paths: Sequence[str],
        settings: Sequence[str] | None,
        emit: str,
        weights: str,
        out: str | None,
        made_for: Words,
        *,
        verify: bool,
    ) -> "Order":
        """An order from the words of the command line; raises `CannotAnswer` for unknown ones."""
        kinds = [word.strip() for word in emit.split(",") if word.strip()]
        strange = next((kind for kind in kinds if kind not in KINDS), None)
        if strange is not None or not kinds:
            raise CannotAnswer(
                f"`--emit` does not know `{strange or emit}`", "give some of torch, onnx and report"
            )
        check_weights(weights, ("none", "init"))
        _apart(paths, out)
        if "onnx" not in kinds and (weights not in ("none", "init") or made_for not in PLAIN):
            raise CannotAnswer(
                "weights, target, precision and logits are those of the ONNX model, which `--emit` "
                "leaves out",
                f"say `--emit {','.join((*kinds, 'onnx'))}`, or leave them out",
            )
        chosen = tuple(kind for kind in KINDS if kind in kinds)
        proved = verify and {"torch", "onnx"} <= set(chosen)
        target = target_of(*made_for)
        return cls(tuple(paths), tuple(settings or ()), chosen, weights, out, target, proved)


def _apart(paths: Sequence[str], out: str | None) -> None:
    """Raises `CannotAnswer` where two specs would be written to one folder."""
    owners: dict[Path, str] = {}
    for path in paths:
        folder = places(path, out).text
        other = owners.setdefault(folder, path)
        if Path(other).absolute() != Path(path).absolute():
            raise CannotAnswer(
                f"`{other}` and `{path}` would both be written to `{folder}`",
                "rename one, or build them one by one with `--out`",
            )


def check_portable(made_for: Words) -> None:
    """Raises `CannotAnswer` where what is checked in would be compared with another kind."""
    if made_for not in PLAIN:
        raise CannotAnswer(
            "generated/ has portable models",
            "leave out `--target`, `--precision`, `--precision-map` and `--logits`",
        )


def build_all(order: Order, *, as_json: bool) -> int:
    """Build each spec and tell what was written."""
    with Progress() as progress:

        def build_one(path: str) -> Built:
            try:
                built = build(
                    path,
                    set=order.settings,
                    emit=order.emit,
                    weights=order.weights,
                    out=order.out,
                    target=order.target,
                    verify=order.verify,
                    progress=progress,
                )
            finally:
                progress.clear()
            tell_diagnostics(built.warnings)
            return built

        return tell_each("build", order.paths, build_one, as_json=as_json)


def compare_all(order: Order, *, show_difference: bool, as_json: bool) -> int:
    """Compare what is there with what the specs compile to; the answer is no where they differ."""
    if order.out is not None:
        raise CannotAnswer("`--check` and `--diff` look at generated/", "leave out `--out`")
    if order.weights not in ("none", "init"):
        raise CannotAnswer("generated/ has no weights", "leave out `--weights`")
    drifts = check_generated(order.paths, set=order.settings)
    if as_json:
        stale = [{"path": each.path, "problem": each.problem} for each in drifts]
        tell_json("build", {"ok": not drifts, "stale": stale})
    elif show_difference:
        tell("".join(each.difference for each in drifts))
    else:
        tell("\n".join(f"{each.path}: {each.problem}" for each in drifts))
    if drifts and not as_json:
        files = "1 file differs" if len(drifts) == 1 else f"{len(drifts)} files differ"
        note(f"{files} from what the specs compile to; `archc build` writes them anew")
    return 1 if drifts else 0


def watch_all(order: Order) -> int:
    """Build, then build again after each change, until interrupted."""
    seen: dict[str, int] = {}
    order = replace(order, verify=False)
    try:
        while True:
            now = _times(order.paths)
            if now != seen:
                seen = now
                _build_if_possible(order)
                note("watching; Ctrl-C ends")
            time.sleep(PAUSE)
    except KeyboardInterrupt:
        return 0


def _build_if_possible(order: Order) -> None:
    """Build; what is in the way now may be out of it after the next change."""
    try:
        build_all(order, as_json=False)
    except CannotAnswer as error:
        complain(error.message, error.help)


def _times(paths: Sequence[str]) -> dict[str, int]:
    """When each spec, or a neighbour it may extend, was last written, in nanoseconds."""
    folders = {Path(path).parent for path in paths}
    found: dict[str, int] = {}
    for folder in sorted(folders):
        with suppress(FileNotFoundError):  # of what an editor or a checkout puts anew just now
            for entry in os.scandir(folder):
                if entry.name.endswith(SUFFIXES):
                    found[entry.path] = entry.stat().st_mtime_ns
    return found
