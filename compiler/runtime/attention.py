"""Where a built model looks in an input: its `attend.py` is run and asked for its weights."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from archspec.source.frozen import Frozen
from archspec.source.suggest import did_you_mean
from compiler.answer import CannotAnswer
from compiler.backends.onnx import MODEL
from compiler.report.attention_map import Attended, AttentionMap
from compiler.runtime.given import completed, run_given
from compiler.runtime.labels import labelled, named_axes
from compiler.runtime.opening import home, open_session
from compiler.runtime.patches import patches_of
from compiler.runtime.published import read_published
from compiler.runtime.request import Request, given_rows, tokenizer_of
from compiler.runtime.roles import growing
from compiler.runtime.rows import one_batch
from compiler.runtime.session import Session
from compiler.runtime.tokenizer import TOKENIZER, open_tokenizer
from compiler.verify.module import call, load_module

if TYPE_CHECKING:
    from torch import nn

    from compiler.runtime.kept import Array

SOURCE: Final = "attend.py"
WEIGHTS: Final = "model.safetensors"
MOST: Final = 2**25
"""The most weights that one page shows."""


class Kept(Frozen):
    """What one place kept of one run: weights [heads, queries, sources] of the first of the batch,
    and the letters of the two axes."""

    place: str
    weights: "Array"
    queries: str
    sources: str


def attend(
    folder: Path,
    request: Request,
    *,
    layer: str | None = None,
    head: int | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> Attended:
    """The weights of a built model for one input, of all places and heads or of some.

    `layer` is a place such as `h.3.attn`, what begins one, or a layer's number; a file of the
    folder may stand for it. Runs its own `attend.py`. Raises `CannotAnswer` where the folder has
    none, for an input that does not fit, and for a place or head that there is not.
    """
    folder = home(folder)
    progress("loading the model")
    model = load(folder)
    session = open_session(folder, device="cpu")
    tokenizer = tokenizer_of(session, folder, request)
    asked = given_rows(session, request, tokenizer, folder, read_published(folder))
    given = one_batch(session, asked)
    wanted = run_given(session, given)
    whole = completed(session, given)
    batch = max((len(array) for array in whole.values() if array.ndim), default=1)
    progress("running attend.py")
    found = _run(folder, model, session, whole)
    apart = _apart(folder, found, tuple(wanted.values()))
    kept = places(model)
    if not kept:
        raise CannotAnswer(f"nothing in `{folder}` looks at anything")
    chosen = [_heads(each, head) for each in _chosen(kept, layer)]
    if sum(weights.size for _, weights, _ in chosen) > MOST:
        raise CannotAnswer(
            "these are too many weights for one page", "choose some by `--layer`, `--head` or both"
        )
    if tokenizer is None and (folder / TOKENIZER).is_file():
        tokenizer = open_tokenizer(folder / TOKENIZER)
    patches = patches_of(model, session, whole, kept[0].weights.shape[-1])
    axes = named_axes(session, whole, tokenizer)
    maps = []
    for each, weights, heads in chosen:
        rows, columns = labelled(each, axes, patches)
        named = (rows.labels, columns.labels, rows.name, columns.name)
        maps.append(AttentionMap(each.place, weights, heads, *named))
    return Attended(_name(folder, model), tuple(maps), apart, batch, patches)


def _run(
    folder: Path, model: "nn.Module", session: Session, given: "Mapping[str, Array]"
) -> "list[Array]":
    """The outputs for inputs that `model.onnx` has taken: it is the source that fails, if any."""
    try:
        found = run(model, session, given)
        shapes = session.outputs.values() if session.past else ()
        cut = [number for number, shape in enumerate(shapes) if shape[1:2] == (1,)]
        real = given.get(f"{growing(session).ids}_mask") if cut else None
        return [_last(each, real) if n in cut else each for n, each in enumerate(found)]
    except Exception as error:
        raise _damaged(folder, f"{type(error).__name__}: {error}") from error


def _last(found: "Array", mask: "Array | None") -> "Array":
    """Of an output of all positions the last real one of each row, which a decoder's file gives."""
    import numpy as np

    real = np.ones(found.shape[:2]) if mask is None else mask
    last = (real * np.arange(real.shape[1])).argmax(axis=1)
    kept: Array = found[np.arange(len(last)), last][:, None]
    return kept


def _apart(folder: Path, found: "Sequence[Array]", wanted: "Sequence[Array]") -> float:
    """The largest difference between the outputs of two programs that should be one."""
    if [each.shape for each in found] != [each.shape for each in wanted]:
        raise _damaged(folder, f"its outputs are not those of `{MODEL}`")
    return max(float(abs(a - b).max(initial=0.0)) for a, b in zip(found, wanted, strict=True))


def _damaged(folder: Path, why: str) -> CannotAnswer:
    return CannotAnswer(f"`{SOURCE}` of `{folder}` does not run: {_line(why)}", "build it again")


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def _name(folder: Path, model: "nn.Module") -> str:
    """What the spec calls the model: the first word of its source, else its class."""
    first = (folder / SOURCE).read_text(encoding="utf-8").partition("\n")[0]
    found = re.match(r'"""(\S+?)[:.](?:\s|$)', first)
    return found[1] if found else type(model).__name__


def load(folder: Path) -> "nn.Module":
    """The model of a folder's `attend.py` with the folder's weights, in evaluation mode."""
    for file, why in (
        (WEIGHTS, "build it with weights and, if with `--emit`, with torch and onnx"),
        (SOURCE, "build it again; a model without attention has none"),
    ):
        if not (folder / file).is_file():
            raise CannotAnswer(f"`{folder}` holds no `{file}`", why)
    from safetensors.torch import load_file

    try:
        text = (folder / SOURCE).read_text(encoding="utf-8")
        *_, name = re.findall(r"^class (\w+)\(nn\.Module\)", text, re.MULTILINE) or [""]
        if not name:
            raise _damaged(folder, "it has no model")
        model: nn.Module = getattr(load_module(text, name), name)()
        model.load_state_dict(load_file(folder / WEIGHTS), strict=True)
    except CannotAnswer:
        raise
    except Exception as error:
        why = _line(str(error))
        raise CannotAnswer(f"`{folder}` cannot be loaded: {why}", "build it again") from error
    return model.eval()


def run(model: "nn.Module", session: Session, given: "Mapping[str, Array]") -> "list[Array]":
    """The outputs of the model, which keeps its weights meanwhile."""
    import torch

    kinds = {n: "bool" if n.endswith("_mask") else session.kinds[n] for n in given}
    values = {n: torch.from_numpy(a.astype(kinds[n])) for n, a in given.items()}
    with torch.inference_mode():
        return [each.numpy() for each in call(model, values)]


def places(model: "nn.Module") -> list[Kept]:
    """Everything that was kept, by the module around it; a layer that ran again is told apart."""
    import torch

    found: list[Kept] = []
    for path, module in model.named_modules():
        kept: list[torch.Tensor] = getattr(module, "kept", [])
        if not kept:
            continue
        runs = [torch.stack([each[:1] for each in kept], dim=2)] if kept[0].dim() == 2 else kept
        place = path.rpartition(".")[0] or path
        for number, weights in enumerate(runs):
            name = place if len(runs) == 1 else f"{place}, run {number}"
            letters: Any = module
            shown = weights[0] if weights.dim() == 4 else weights.transpose(1, 2)
            found.append(Kept(name, shown.numpy(), letters.queries, letters.sources))
    return found


def _chosen(kept: list[Kept], layer: str | None) -> list[Kept]:
    if layer is None:
        return kept
    found = [each for each in kept if _is(each.place, layer)]
    if not found:
        names = [each.place for each in kept]
        hint = did_you_mean(layer, names) or f"there are {', '.join(f'`{n}`' for n in names[:12])}"
        raise CannotAnswer(f"no attention is called `{layer}`", hint)
    return found


def _is(place: str, layer: str) -> bool:
    path = place.partition(",")[0]
    numbered = layer.isdecimal() and layer in path.split(".")
    return place == layer or path == layer or path.startswith(f"{layer}.") or numbered


def _heads(kept: Kept, head: int | None) -> "tuple[Kept, Array, tuple[int, ...]]":
    count = len(kept.weights)
    if head is None:
        return kept, kept.weights, tuple(range(count))
    if not 0 <= head < count:
        known = f"heads 0 to {count - 1}" if count > 1 else "one head, 0"
        raise CannotAnswer(f"`{kept.place}` has no head {head}", f"it has {known}")
    return kept, kept.weights[head : head + 1], (head,)
