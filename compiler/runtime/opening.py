"""Loading the model of a built folder into ONNX Runtime."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.answer import CannotAnswer
from compiler.backends.onnx import DECODER, ENCODER, MODEL, SHARES
from compiler.ir.target import BITS
from compiler.runtime.beside import Beside, read_beside
from compiler.runtime.coupled import Coupled
from compiler.runtime.cuda import (
    INSTALL,
    PROVIDERS,
    Device,
    compute_capability,
    has_cuda_device,
    obstacle,
)
from compiler.runtime.data_files import unreadable
from compiler.runtime.providers import CAPTURES, usual_options
from compiler.runtime.refusal import refusal
from compiler.runtime.session import Session
from compiler.runtime.unchanged import check_unchanged

if TYPE_CHECKING:
    import onnxruntime

OLDEST: Final = (8, 0)
"""The first compute capability with products in bfloat16."""

PROPERTIES: Final = 1 << 16
"""More bytes than the properties take that come behind the one asked for."""

UNUSABLE: Final = "ONNX Runtime cannot use the CUDA device here: "

FLOATS_ALONE: Final = "NchwcTransformer"
"""A pass over the nodes on a CPU that ends the process at some of float16: an LSTM's is enough."""

NO_CAPTURE: Final = "cannot use the graph capture feature"
"""What ONNX Runtime says of a model whose launches cannot be captured."""


def model_files(folder: Path) -> tuple[Path, ...]:
    """The files of a folder's model, its encoder before its decoder; or the file that is one."""
    if folder.suffix == ".onnx" and folder.is_file() and not _reads_beside(folder):
        return (folder,)
    whole = folder.parent if folder.name == DECODER else folder
    pair = whole / ENCODER, whole / DECODER
    return pair if all(path.is_file() for path in pair) else (folder / MODEL,)


def _reads_beside(file: Path) -> bool:
    """Whether a file is a decoder that cannot be run without the encoder beside it."""
    return file.name == DECODER and (file.parent / ENCODER).is_file()


def home(folder: Path) -> Path:
    """The folder of a model, which its file names too."""
    return model_files(folder)[-1].parent


def open_session(
    folder: Path,
    *,
    threads: int = 0,
    device: Device | None = None,
    profile: Path | None = None,
    options: Mapping[str, str] | None = None,
) -> Session:
    """Load the model of a built folder.

    `threads` is the number of threads within an operator, 0 for one a core. Without `device` a
    graphics processor is taken where there is one that ONNX Runtime can use; `options` are for its
    provider, beside what a folder says and what is usual. With `profile` every run is written down
    in files whose paths begin so. Raises `CannotAnswer` where the folder holds no model, where its
    files were changed, where the model cannot be loaded, or where `device` cannot be used.
    """
    paths = model_files(folder)
    if not paths[-1].is_file():
        raise CannotAnswer(f"`{folder}` holds no `{MODEL}`", _elsewhere(folder))
    there = device != "cpu" and has_cuda_device()
    why = obstacle() if there else ""
    if device == "cuda" and not there:
        raise CannotAnswer("there is no CUDA device that ONNX Runtime can use here")
    if device == "cuda" and why:
        raise CannotAnswer(UNUSABLE + why, INSTALL)
    chosen: Device = "cuda" if there and not why else "cpu"
    check_unchanged(paths[-1].parent, [path.name for path in paths])
    beside = read_beside(paths[-1].parent)
    try:
        if options and chosen == "cpu":
            raise CannotAnswer("`--provider-option` is for CUDA, and the model runs on the CPU")
        opened = [_opened(path, threads, chosen, profile, beside, options or {}) for path in paths]
    except CannotAnswer as error:
        if not why:
            raise
        raise CannotAnswer(f"{error.message}; {UNUSABLE}{why}", INSTALL) from error
    session, *more = opened
    return Coupled(session, *more) if more else session


def _elsewhere(folder: Path) -> str:
    """Where a model may be meant: in a folder below."""
    names = (f"{below}{name}" for below in ("*/", "*/*/") for name in (MODEL, DECODER))
    held = sorted({path.parent for name in names for path in folder.glob(name)})
    return f"`{held[0]}` has one" if held else "build it first with `archc build`"


def _opened(
    path: Path,
    threads: int,
    device: Device,
    profile: Path | None,
    beside: Beside,
    options: Mapping[str, str],
) -> Session:
    if device == "cpu":
        return Session(_loaded(path, threads, {}, profile), device, beside)
    _runs_here(path, beside.precision)
    told = {**usual_options(beside.precision), **beside.options, **options}
    if CAPTURES not in told and says_shared(path):
        # One that copies between devices in a step cannot be captured; loading it says so.
        captured = _captured(path, threads, {**told, CAPTURES: "1"}, profile)
        if captured is not None:
            return Session(captured, device, beside, captures=True)
    loaded = _loaded(path, threads, told, profile)
    return Session(loaded, device, beside, captures=told.get(CAPTURES) == "1")


def says_shared(path: Path) -> bool:
    """Whether a model of ours says that its cache may be one buffer. Its properties are behind its
    graph, as they are numbered so in ONNX's `ModelProto`: the end of the file has them."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - PROPERTIES))
        return SHARES.encode() in file.read()


def _runs_here(path: Path, precision: str) -> None:
    """Whether the device is as new as the numbers of a model."""
    halves = precision in BITS or precision == "bf16"
    newness = compute_capability()
    if halves and newness is not None and newness < OLDEST:
        said = ".".join(map(str, newness))
        raise CannotAnswer(
            f"`{path}` has numbers of bf16, and this GPU, of compute capability {said}, has none",
            "build it with `--precision fp16`",
        )


def _captured(
    path: Path, threads: int, told: Mapping[str, str], profile: Path | None
) -> "onnxruntime.InferenceSession | None":
    try:
        return _loaded(path, threads, told, profile)
    except CannotAnswer as error:
        if NO_CAPTURE not in error.message:
            raise
        return None


def _loaded(
    path: Path, threads: int, told: Mapping[str, str], profile: Path | None
) -> "onnxruntime.InferenceSession":
    """The model on the CPU, or where CUDA's provider is `told` something on a device."""
    import onnxruntime

    _refuse_no_text(path)
    cpu = PROVIDERS["cpu"]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    if profile is not None:
        options.enable_profiling = True
        options.profile_file_prefix = f"{profile}-{path.stem}"
    options.log_severity_level = 4  # what goes wrong is raised, and said once
    providers = [(PROVIDERS["cuda"], dict(told)), cpu] if told else [cpu]
    without = [FLOATS_ALONE] if read_beside(path.parent).target == "cuda" else []
    try:
        # It would go on without a provider that it cannot tell what it is told.
        session = onnxruntime.InferenceSession(
            path, options, providers, enable_fallback=0, disabled_optimizers=without
        )
    except Exception as error:
        said = unreadable(path) or refusal(error)
        why = f"ONNX Runtime cannot load `{path}`: {said}"
        raise CannotAnswer(why, _remedy(path, on_device=bool(told))) from error
    if told and PROVIDERS["cuda"] not in session.get_providers():
        raise CannotAnswer(f"ONNX Runtime does not run `{path}` on the CUDA device here")
    return session


def _refuse_no_text(path: Path) -> None:
    """ONNX Runtime takes a path as UTF-8 text, and a name of the file system may be none."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise CannotAnswer(
            f"ONNX Runtime does not open `{path}`, whose name is no UTF-8 text here",
            "name it otherwise, or set a locale of UTF-8",
        ) from error


def _remedy(path: Path, *, on_device: bool) -> str:
    """What helps where a model does not load."""
    if on_device:
        return "build it again, or leave out options of the provider"
    if read_beside(path.parent).target == "cuda":
        return "it was built for CUDA, which has no device here; for this machine `--target cpu`"
    return "build it again"
