"""Loading the model of a built folder into ONNX Runtime."""

from pathlib import Path
from typing import TYPE_CHECKING

from compiler.answer import CannotAnswer
from compiler.backends.onnx import DECODER, ENCODER, MODEL
from compiler.runtime.beside import read_beside
from compiler.runtime.coupled import Coupled
from compiler.runtime.cuda import PROVIDERS, Device, has_cuda_device
from compiler.runtime.session import Session

if TYPE_CHECKING:
    import onnxruntime


def model_files(folder: Path) -> tuple[Path, ...]:
    """The files of a folder's model, its encoder before its decoder; or the file that is one."""
    if folder.suffix == ".onnx" and folder.is_file():
        return (folder,)
    pair = folder / ENCODER, folder / DECODER
    return pair if all(path.is_file() for path in pair) else (folder / MODEL,)


def open_session(
    folder: Path,
    *,
    threads: int = 0,
    device: Device | None = None,
    profile: Path | None = None,
) -> Session:
    """Load the model of a built folder.

    `threads` is the number of threads within an operator, 0 for one a core. Without `device` a
    graphics processor is taken where there is one. With `profile` every run is written down in
    files whose paths begin so. Raises `CannotAnswer` where the folder holds no
    model, where the model cannot be loaded, or where `device` is not there.
    """
    import onnxruntime

    paths = model_files(folder)
    if not paths[-1].is_file():
        raise CannotAnswer(f"`{folder}` holds no `{MODEL}`", "build it first with `archc build`")
    there = PROVIDERS["cuda"] in onnxruntime.get_available_providers() and has_cuda_device()
    if device == "cuda" and not there:
        raise CannotAnswer("there is no CUDA device that ONNX Runtime can use here")
    chosen = device or ("cuda" if there else "cpu")
    beside = read_beside(paths[-1].parent)
    loaded = (_loaded(path, threads, chosen, profile) for path in paths)
    session, *more = (Session(each, chosen, beside) for each in loaded)
    return Coupled(session, *more) if more else session


def _loaded(
    path: Path, threads: int, device: Device, profile: Path | None
) -> "onnxruntime.InferenceSession":
    import onnxruntime

    cpu = PROVIDERS["cpu"]
    providers = [PROVIDERS[device], cpu] if device == "cuda" else [cpu]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    if profile is not None:
        options.enable_profiling = True
        options.profile_file_prefix = f"{profile}-{path.stem}"
    options.log_severity_level = 4  # what goes wrong is raised, and said once
    try:
        return onnxruntime.InferenceSession(path, options, providers)
    except Exception as error:
        why = f"ONNX Runtime cannot load `{path}`: {' '.join(str(error).split())}"
        raise CannotAnswer(why, "build it again") from error
