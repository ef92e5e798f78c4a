"""A built model in ONNX Runtime: names in, names out."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.backends.onnx import (
    DECODER,
    ENCODER,
    LOGITS,
    MODEL,
    OUTPUTS,
    PAST,
    SHARES,
    ZEROS,
)
from compiler.runtime.beside import Beside, read_beside
from compiler.runtime.buffers import Buffers
from compiler.runtime.cuda import has_cuda_device
from compiler.runtime.placed import Placed

if TYPE_CHECKING:
    import numpy.typing as npt
    import onnxruntime

    Array: TypeAlias = npt.NDArray[Any]
    Kept: TypeAlias = tuple[Array, ...] | Buffers
    Past: TypeAlias = Kept | "Encoded"

Device: TypeAlias = Literal["cpu", "cuda"]
PROVIDERS: Final[Mapping[Device, str]] = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
}
KEPT: Final = ("past_key_values", "present")
"""How inputs and outputs of what is kept begin where no property pairs them."""
WORDS: Final = {
    "tensor(float)": "float32",
    "tensor(float16)": "float16",
    "tensor(int32)": "int32",
    "tensor(int64)": "int64",
    "tensor(bool)": "bool",
}


class Session:
    """A loaded model.

    Attributes:
        device: where it runs.
        inputs, outputs: names with their shapes; a length that varies is a letter.
        past, present: the same of what a decoder keeps between steps, each input with its output.
        logits: the output with scores of a vocabulary, empty where the file names none.
        shares: whether what is kept may stay in `buffers`.
        kinds: the kind of number of every input, as numpy calls it.
        zeros: inputs that are zeros where none are given.
        source: inputs of an encoder, which is run where a sequence begins.
        gives: of a decoder, all outputs of it and its encoder in the order of the spec.
    """

    source: frozenset[str] = frozenset()

    def __init__(
        self, runtime: "onnxruntime.InferenceSession", device: Device, beside: Beside
    ) -> None:
        """`beside` speaks for a model that is not of ours."""
        self._runtime = runtime
        self.device = device
        self.inputs = {each.name: tuple(each.shape) for each in runtime.get_inputs()}
        self.outputs = {each.name: tuple(each.shape) for each in runtime.get_outputs()}
        self.kinds = {each.name: WORDS[each.type] for each in runtime.get_inputs()}
        properties = runtime.get_modelmeta().custom_metadata_map
        pairs = dict(pair.split("=") for pair in properties.get(PAST, "").split()) or {
            name: name.replace(*KEPT) for name in self.inputs if name.startswith(KEPT[0])
        }
        self.past = {name: _sized(self.inputs.pop(name), beside) for name in pairs}
        self.present = {pairs[name]: self.outputs.pop(pairs[name]) for name in self.past}
        self.logits = properties.get(LOGITS, "")
        self.shares = bool(properties.get(SHARES)) if PAST in properties else beside.shares
        self.zeros = tuple(properties.get(ZEROS, "").split())
        self.gives = tuple(properties.get(OUTPUTS, "").split())

    def run(self, inputs: Mapping[str, "Array"]) -> dict[str, "Array"]:
        """Every output by its name; a decoder begins a sequence.

        Inputs that the model takes as zeros (token types) may be left out. Raises ValueError where
        another one is missing, unknown, or of another shape or kind of number than the model takes.
        """
        outputs, _ = self.step(inputs, None)
        return outputs

    def step(
        self, inputs: Mapping[str, "Array"], past: "Past | None"
    ) -> "tuple[dict[str, Array], Past]":
        """Every output by its name, and what a decoder keeps for the next step.

        `past` is what the last step gave, None at the beginning; or the `buffers` of a sequence,
        which are written where they are. Raises ValueError as `run`, and where they are full.
        """
        import numpy as np

        lengths = self._lengths(inputs)
        given = {name: self._array(name, array) for name, array in inputs.items()}
        for name in self.zeros:
            shape = [lengths.get(size, size) for size in self.inputs[name]]
            given.setdefault(name, np.zeros(shape, self.kinds[name]))
        return self._step(given, lengths, past)

    def _step(
        self, given: "dict[str, Array]", lengths: Mapping[str | int, int], past: "Past | None"
    ) -> "tuple[dict[str, Array], Past]":
        """One run on all inputs, as arrays of the model's own numbers."""
        assert not isinstance(past, Encoded)
        if isinstance(past, Buffers):
            self._fits(lengths, past)
            names = tuple(self.outputs)
            return dict(zip(names, past.step(given, names), strict=True)), past
        before = self._nothing(lengths) if past is None else past
        given.update(zip(self.past, before, strict=True))
        found = self._runtime.run([*self.outputs, *self.present], given)
        kept = len(self.outputs)
        return dict(zip(self.outputs, found[:kept], strict=True)), tuple(found[kept:])

    def buffers(self, batch: int, length: int) -> Buffers:
        """Room for all that a decoder keeps of `batch` sequences of up to `length` positions.

        Of a model that `shares`. Raises MemoryError where there is not as much.
        """
        import numpy as np

        pairs = dict(zip(self.past, self.present, strict=True))
        zeros = {
            name: np.zeros((batch, *shape[1:-2], length, shape[-1]), self.kinds[name])
            for name, shape in self.past.items()
        }
        return Buffers(self._runtime, self.device, pairs, zeros, length)

    def nodes(self) -> tuple[Placed, ...]:
        """Every node and the provider that got it; none where ONNX Runtime is too old to tell."""
        told = getattr(self._runtime, "get_provider_graph_assignment_info", tuple)
        return tuple(
            Placed(node.name, node.op_type, part.ep_name)
            for part in told()
            for node in part.get_nodes()
        )

    def end_profiles(self) -> tuple[Path, ...]:
        """The files with the profile that the session was opened for."""
        return (Path(self._runtime.end_profiling()),)

    def _fits(self, lengths: Mapping[str | int, int], buffers: Buffers) -> None:
        """Whether there is room for all positions that a step sees."""
        seen = max(lengths.get(shape[-2], 0) for shape in self.present.values())
        if seen > buffers.length:
            raise ValueError(f"{seen} positions do not fit into a cache of {buffers.length}")

    def _nothing(self, lengths: Mapping[str | int, int]) -> "tuple[Array, ...]":
        """What a decoder has kept before the first step: nothing, in its shapes."""
        import numpy as np

        return tuple(
            np.zeros(
                [lengths.get(size, 0) if isinstance(size, str) else size for size in shape],
                self.kinds[name],
            )
            for name, shape in self.past.items()
        )

    def _lengths(self, inputs: Mapping[str, "Array"]) -> dict[str | int, int]:
        """What each letter is in these inputs, after a look at their names and shapes."""
        unknown = [name for name in inputs if name not in self.inputs]
        missing = [n for n in self.inputs if n not in inputs and n not in self.zeros]
        if unknown or missing:
            takes = ", ".join(self.inputs)
            raise ValueError(f"the model takes {takes}; not known {unknown}, missing {missing}")
        found: dict[str | int, int] = {}
        for name, array in inputs.items():
            shape = self.inputs[name]
            bound = dict(zip(shape, array.shape, strict=False))
            fits = len(shape) == array.ndim and all(
                found.setdefault(size, length) == length
                if isinstance(size, str)
                else size == length
                for size, length in bound.items()
            )
            if not fits:
                raise ValueError(f"`{name}` is {list(shape)} with {found}, not {list(array.shape)}")
        return found

    def _array(self, name: str, array: "Array") -> "Array":
        try:
            return array.astype(self.kinds[name], order="C", casting="same_kind", copy=False)
        except TypeError as error:
            raise ValueError(f"`{name}` is {self.kinds[name]}, not {array.dtype}") from error


class Encoded(Frozen):
    """A sequence of a decoder over a source.

    Attributes:
        given: what the encoder gave by its names; None where the source is not encoded yet.
        kept: what the decoder keeps; None before its first step.
    """

    given: "Mapping[str, Array] | None"
    kept: "Kept | None"


class Coupled(Session):
    """An encoder and a decoder as one model: a sequence begins by encoding its source."""

    def __init__(self, encoder: Session, decoder: Session) -> None:
        self._encoder, self._decoder = encoder, decoder
        self.device, self.logits, self.shares = decoder.device, decoder.logits, decoder.shares
        self.past, self.present = decoder.past, decoder.present
        made = {**encoder.outputs, **encoder.present}
        names = {name: name.replace(*KEPT) for name in decoder.inputs}
        self._crossing = {name: found for name, found in names.items() if found in made}
        self._own = tuple(name for name in decoder.inputs if name not in self._crossing)
        self.source = frozenset(encoder.inputs)
        self.inputs = {**encoder.inputs, **{name: decoder.inputs[name] for name in self._own}}
        self.kinds = {**encoder.kinds, **decoder.kinds}
        self.zeros = tuple(dict.fromkeys((*encoder.zeros, *decoder.zeros)))
        every = {**encoder.outputs, **decoder.outputs}
        self.outputs = {name: every[name] for name in decoder.gives or decoder.outputs}

    def buffers(self, batch: int, length: int) -> Buffers:
        """Room for all that the decoder keeps."""
        return self._decoder.buffers(batch, length)

    def nodes(self) -> tuple[Placed, ...]:
        """The encoder's and the decoder's."""
        return (*self._encoder.nodes(), *self._decoder.nodes())

    def end_profiles(self) -> tuple[Path, ...]:
        """The encoder's and the decoder's."""
        return (*self._encoder.end_profiles(), *self._decoder.end_profiles())

    def _step(
        self, given: "dict[str, Array]", lengths: Mapping[str | int, int], past: "Past | None"
    ) -> "tuple[dict[str, Array], Past]":
        begun = past if isinstance(past, Encoded) else Encoded(None, past)
        made = begun.given
        if made is None:
            made = self._encoder.run({name: given[name] for name in self._encoder.inputs})
        known = {name: given[name] for name in self._own}
        known |= {name: made[found] for name, found in self._crossing.items()}
        outputs, kept = self._decoder._step(known, lengths, begun.kept)
        assert not isinstance(kept, Encoded)
        every = {**made, **outputs}
        return {name: every[name] for name in self.outputs}, Encoded(made, kept)


def _sized(shape: tuple[Any, ...], beside: Beside) -> tuple[Any, ...]:
    """The shape of what is kept; where its last size is a letter, as it is said beside."""
    *rest, last = shape
    return (*rest, beside.head_size or last if isinstance(last, str) else last)


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
