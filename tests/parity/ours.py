"""Our side of a comparison: a spec with a published checkpoint, as a module and in ONNX Runtime."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file

import archspec
from compiler.backends.onnx import emit
from compiler.importers.fusion import fuse as joined
from compiler.importers.write import write_safetensors
from compiler.pipeline.weights import weights_for
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.difference import apart
from compiler.verify.module import build, call

if TYPE_CHECKING:
    from torch import Tensor, nn

SPECS = Path(__file__).parents[2] / "specs"
BAR = 1e-5


@dataclass(frozen=True)
class Ours:
    """A spec compiled, with weights in both forms."""

    made: Compiled
    model: "nn.Module"
    session: Session

    def agrees(
        self,
        values: "Mapping[str, Tensor]",
        wanted: "Sequence[Tensor]",
        real: "Tensor | None" = None,
        bar: float = BAR,
    ) -> None:
        """Both forms give `wanted` within the bar, at the places where `real` is true."""
        with torch.no_grad():
            ours = call(self.model, values)
        run = self.session.run({n: v.numpy() for n, v in values.items()})
        for found in (ours, tuple(torch.from_numpy(v) for v in run.values())):
            pairs = [_at(real, f, w) for f, w in zip(found, wanted, strict=True)]
            assert apart([f for f, _ in pairs], [w for _, w in pairs]) <= bar


def _at(real: "Tensor | None", found: "Tensor", wanted: "Tensor") -> "tuple[Tensor, Tensor]":
    if real is None or found.shape[:2] != real.shape:
        return found, wanted
    return found[real], wanted[real]


def spec(path: str, **patches: Any) -> Compiled:
    """A spec of the repository with patches; `__` in a name stands for a dot."""
    found = archspec.load(SPECS / path, set={k.replace("__", "."): v for k, v in patches.items()})
    made = compiled(found)
    assert isinstance(made, Compiled), made
    return made


def ours(made: Compiled, checkpoint: Path, folder: Path) -> Ours:
    """Weights from a published file or folder, through `model.safetensors` and into ONNX."""
    weights = weights_for(made.spec, made.program, made.fused, str(checkpoint))
    assert weights.sources is not None
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", weights.sources, weights.fusions)
    model = build(made.generated)
    model.load_state_dict(load_file(folder / "model.safetensors"), strict=True)
    emit(made.files, joined(weights.sources, weights.fusions), folder)
    return Ours(made, model, open_session(folder, device="cpu"))


def padded(batch: int, length: int, last: int) -> "Tensor":
    """A mask with padding at the end of the last row, which has `last` real places."""
    mask = torch.ones(batch, length, dtype=torch.bool)
    mask[-1, last:] = False
    return mask
