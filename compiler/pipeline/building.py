"""Build: the text and the binaries of one spec, each folder whole or not at all."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import archspec
from archspec.model.lengths import DEFAULT_LENGTH
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic
from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.backends.onnx.emit import emit
from compiler.ir.program import Program
from compiler.ir.target import PORTABLE, Target
from compiler.passes.fuse import fuse
from compiler.passes.served import runs, served
from compiler.pipeline.companions import copy_companions
from compiler.pipeline.costs import report_of
from compiler.pipeline.folder import Draft, write_folder
from compiler.pipeline.genai import write_genai
from compiler.pipeline.kernels import kernels
from compiler.pipeline.manifest import FileRecord, read_manifest
from compiler.pipeline.numbers import notes_of, numbers_of
from compiler.pipeline.passes import lowered
from compiler.pipeline.places import Places, places, spec_name
from compiler.pipeline.precision import state_for
from compiler.pipeline.texts import KINDS, NAMES, Text, attend_source, origin, texts
from compiler.pipeline.untie import untie
from compiler.pipeline.unversioned import unversioned
from compiler.pipeline.weight_files import WEIGHTS_FILE, WeightFiles, weight_files
from compiler.pipeline.weights import Weights, weights_for
from compiler.report.budget import Verdict
from compiler.report.summary import Written, summary

if TYPE_CHECKING:
    from compiler.verify import Check

ATTEND_FILE = "attend.py"


class Progress(Protocol):
    """Told what step runs, how much of it is done and of how much."""

    def __call__(self, step: str, done: int = 0, whole: int = 0, unit: str = "") -> None: ...


def silent(step: str, done: int = 0, whole: int = 0, unit: str = "") -> None:
    """A progress that nobody sees."""


class Built(Frozen):
    """What a build wrote, with the figures of its summary: `totals` are worked out as they are
    read."""

    name: str
    written: tuple[Written, ...]
    totals: Mapping[str, int]
    at: dict[str, int]
    seconds: float
    notes: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    agreed: "Check | None" = None
    budget: tuple[Verdict, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the budget holds, and the two programs agree where they were compared."""
        agrees = self.agreed is None or self.agreed.ok is not False
        return agrees and all(verdict.ok for verdict in self.budget)

    def text(self) -> str:
        """A summary for a person."""
        at = ",".join(f"{name}={size}" for name, size in self.at.items())
        lines = summary(self.name, self.written, self.totals, at, self.seconds)
        lines += [f"  {note}" for note in self.notes]
        lines += [f"  {'ok  ' if v.ok else 'OVER'}  {v.finding()}" for v in self.budget]
        if self.agreed is not None:
            lines.append(f"  {self.agreed.line(0)}")
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """The summary for a program."""
        folders = {w.folder: {"files": list(w.files), "bytes": w.size} for w in self.written}
        return {
            "name": self.name,
            "folders": folders,
            "totals": dict(self.totals),
            "at": self.at,
            "notes": list(self.notes),
            "parity": self.agreed.document() if self.agreed else None,
            "budget": [verdict.document() for verdict in self.budget],
        }


def build(
    path: str,
    *,
    set: Sequence[str] = (),
    emit: Sequence[str] = KINDS,
    weights: str = "init",
    out: str | None = None,
    target: Target = PORTABLE,
    verify: bool = False,
    progress: Progress = silent,
) -> Built:
    """Compile one spec to its two folders (one under `out`).

    With `verify` ONNX Runtime is held against torch afterwards. Raises SpecError where the spec or
    a checkpoint cannot be used, CannotAnswer where a folder cannot be written; nothing is left half
    written.
    """
    began = time.monotonic()
    if path == "-" and out is None:
        raise CannotAnswer(
            "a spec from standard input has no place of its own", "say where with `--out`"
        )
    spec = archspec.load(path, set=set)
    kept = untie(spec, lowered(spec), weights if "onnx" in emit else "none")
    spec, plain = kept.spec, kept.plain
    report = report_of(spec, plain)
    found = places(path, out)
    job = Job(spec, plain, texts(spec, plain, emit), target, progress)
    look = target == PORTABLE or "torch" in emit
    looking = partial(progress, "looking through the weights", unit="B")
    chosen = (
        weights_for(spec, plain, job.fused, weights, look=look, progress=looking)
        if "onnx" in emit
        else None
    )
    notes = kernels(job.forms.values(), target, spec.span) if chosen is not None else ()
    written = job.write(found, chosen)
    notes += (chosen.absent,) if chosen is not None and chosen.absent else ()
    if chosen is not None and (manifest := read_manifest(found.binaries)) is not None:
        notes += notes_of(manifest.model)
    seconds = time.monotonic() - began
    agreed = _agreement(spec, target, progress, chosen) if verify else None
    return Built(
        spec.name,
        written,
        report.totals,
        dict(report.at),
        seconds,
        notes,
        kept.warnings,
        agreed,
        report.verdicts,
    )


def _agreement(spec: Spec, target: Target, progress: Progress, weights: Weights | None) -> "Check":
    from compiler.verify import agreement

    progress("holding ONNX Runtime against torch")
    state = partial(state_for, weights) if weights and weights.checkpoint is not None else None
    check = agreement(spec, set=spec.settings, target=target.on_cpu, state=state)
    return replace(check, reason="; ".join(filter(None, (target.unproved, check.reason))))


class Job(Frozen):
    """One spec on its way to disk."""

    spec: Spec
    plain: Program
    texts: dict[str, Text]
    target: Target
    progress: Progress

    @property
    def fused(self) -> Program:
        """The program whose parameters the files hold, with the spec's path as it is shown."""
        return self.shown(fuse(self.plain))

    def shown(self, program: Program) -> Program:
        """A program with the spec's path as it is shown."""
        return replace(program, path=spec_name(self.spec.path))

    @property
    def forms(self) -> dict[str, Program]:
        """The program as the ONNX files have it."""
        return self.served(self.fused)

    def served(self, program: Program) -> dict[str, Program]:
        """A program as it is deployed, by file."""
        return served(program, self.target.logits)

    def write(self, found: Places, weights: Weights | None) -> tuple[Written, ...]:
        """Write the folders; what an earlier build of the same spec left beside stays."""
        if found.together or weights is None:
            return (
                self._folder(
                    found.text, self._text, *((self._binaries(weights),) if weights else ())
                ),
            )
        text = self._folder(found.text, self._text)
        with unversioned(found.root):
            return (text, self._folder(found.binaries, self._binaries(weights)))

    def _folder(self, place: Path, *writers: Callable[[Draft], None]) -> Written:
        with write_folder(place, origin(self.spec)) as draft:
            for write in writers:
                write(draft)
            self._carry_over(place, draft)
        manifest = read_manifest(place)
        assert manifest is not None
        files = manifest.files
        return Written(
            str(place), tuple(sorted(files)), sum(record.bytes for record in files.values())
        )

    def _text(self, draft: Draft) -> None:
        for name, text in self.texts.items():
            draft.write(name, text.content, text.marks)

    def _binaries(self, weights: Weights) -> Callable[[Draft], None]:
        def write(draft: Draft) -> None:
            held = None if weights.sources is None else self._weights(draft, weights)
            if held is not None and held.for_torch:
                attend = attend_source(self.spec, self.plain)
                if attend:
                    draft.write(ATTEND_FILE, attend)
            sources, linked = (None, {}) if held is None else (held.sources, held.linked)
            steps = partial(self.progress, "writing the ONNX model", unit="B")
            forms = self.served(self.shown(self.plain)) if held and held.apart else self.forms
            made = emit(forms, sources, draft.folder, steps, self.target, linked)
            draft.model = {
                "target": self.target.provider,
                "precision": self.target.precision,
                "opset": made.opset,
                "ir_version": made.ir_version,
                "onnxruntime": f">={made.runtime}",
                "longest": self._longest(),
                "vocabularies": dict(made.vocabularies),
                "data": list(made.data),
                "runs": {f"{name}.onnx": runs(name, each) for name, each in forms.items()},
                **numbers_of(made, held.why if held else "", rounds=self.target.rounds),
            }
            if weights.folder is not None:
                copy_companions(draft, weights.folder)
            for name, file in made.files.items():
                draft.known(name, FileRecord(file.bytes, file.sha256))
            if made.decoder is not None and sources is not None:
                context = self.spec.inputs[made.decoder.ids].max or DEFAULT_LENGTH
                write_genai(draft, made.decoder, context, self.target, weights.folder)

        return write

    def _longest(self) -> dict[str, int]:
        """How many places each input may have."""
        return {name: int(one.max) for name, one in self.spec.inputs.items() if one.max is not None}

    def _weights(self, draft: Draft, weights: Weights) -> WeightFiles:
        """The weights of the folder, written or linked."""
        whole = sum(source.nbytes for source in (weights.sources or {}).values())
        steps = Counter(self.progress, f"writing {WEIGHTS_FILE}", whole)
        torch = "model.py" in self.texts
        return weight_files(draft, weights, self.target, torch=torch, progress=steps)

    def _carry_over(self, place: Path, draft: Draft) -> None:
        """Keep files of the last build, of the same spec and version, that are not made anew; with
        a model come all its files, so that beside a new one only texts stay."""
        old = read_manifest(place)
        if old is None or old.origin != origin(self.spec):
            return
        for name in NAMES if draft.model else old.files:
            kept, new = place / name, draft.path(name)
            if name in old.files and kept.is_file() and not new.exists():
                new.hardlink_to(kept)
        draft.model = draft.model or old.model


@dataclass
class Counter:
    """Adds up the bytes of pieces for a progress line."""

    progress: Progress
    step: str
    whole: int
    done: int = 0

    def __call__(self, piece: int) -> None:
        self.done += piece
        self.progress(self.step, self.done, self.whole, "B")
