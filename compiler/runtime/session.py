"""A built model in ONNX Runtime: names in, names out."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import finalize

from compiler.answer import CannotAnswer
from compiler.backends.onnx import LOGITS, OUTPUTS, PAST, SHARES, ZEROS
from compiler.runtime.beside import Beside
from compiler.runtime.buffers import Buffers
from compiler.runtime.cuda import Device
from compiler.runtime.ended import Ended
from compiler.runtime.kept import Encoded
from compiler.runtime.placed import Placed
from compiler.runtime.places import Places
from compiler.runtime.replay import NEVER, graph_numbers, run_options
from compiler.runtime.taken import lengths_of, of_kind
from compiler.runtime.values import BFLOAT16, bind_input, clear, zeros

if TYPE_CHECKING:
    import onnxruntime

    from compiler.runtime.kept import Array, Past, Value

KEPT: Final = ("past_key_values", "present")
"""How inputs and outputs of what is kept begin where no property pairs them."""
WORDS: Final = {
    "tensor(float)": "float32",
    "tensor(float16)": "float16",
    "tensor(bfloat16)": BFLOAT16,
    "tensor(int32)": "int32",
    "tensor(int64)": "int64",
    "tensor(bool)": "bool",
    "tensor(double)": "float64",
    **{
        f"tensor({kind})": kind for kind in ("int8", "int16", "uint8", "uint16", "uint32", "uint64")
    },
}


class Session:
    """A loaded model.

    Attributes:
        device: where it runs.
        inputs, outputs: names with their shapes; a length that varies is a letter.
        past, present: the same of what a decoder keeps between steps, each input with its output.
        logits: the output with scores of a vocabulary, empty where the file names none.
        shares: whether what is kept may stay in `buffers`.
        fixed: whether steps of one position have one shape, as a device wants them.
        captures: whether their launches are captured.
        kinds: the kind of number of every input, as numpy calls it.
        zeros: inputs that are zeros where none are given.
        stays: outputs that stay where the model runs: what a decoder keeps, or is handed.
        source: inputs of an encoder, which is run where a sequence begins.
        gives: of a decoder, all outputs of it and its encoder in the order of the spec.
    """

    source: frozenset[str] = frozenset()

    def __init__(
        self,
        runtime: "onnxruntime.InferenceSession",
        device: Device,
        beside: Beside,
        *,
        captures: bool = False,
    ) -> None:
        """`beside` speaks for a model that is not of ours; `captures` says that `runtime` captures
        the launches of its runs. Raises `CannotAnswer` for a model of something else than numbers.
        """
        self._runtime = runtime
        self.captures, self._graphs, self._ended = captures, graph_numbers(), Ended()
        self._options = run_options(NEVER) if captures else None
        self.device = device
        self.fixed = device == "cuda"
        self.inputs = {each.name: tuple(each.shape) for each in runtime.get_inputs()}
        self.outputs = {each.name: tuple(each.shape) for each in runtime.get_outputs()}
        self.kinds = {each.name: _kind(each) for each in runtime.get_inputs()}
        self._made = {each.name: _kind(each) for each in runtime.get_outputs()}
        properties = runtime.get_modelmeta().custom_metadata_map
        pairs = dict(pair.split("=") for pair in properties.get(PAST, "").split()) or {
            name: made
            for name in self.inputs
            if name.startswith(KEPT[0]) and (made := name.replace(*KEPT)) in self.outputs
        }
        self.past = {name: _sized(self.inputs.pop(name), beside) for name in pairs}
        self.present = {pairs[name]: self.outputs.pop(pairs[name]) for name in self.past}
        self.stays = frozenset(self.present)
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

        lengths = lengths_of(inputs, self.inputs, self.zeros)
        given = {name: of_kind(self.kinds[name], name, array) for name, array in inputs.items()}
        for name in self.zeros:
            shape = [lengths.get(size, size) for size in self.inputs[name]]
            given.setdefault(name, np.zeros(shape, self.kinds[name]))
        return self._step(given, lengths, past)

    def _step(
        self, given: "Mapping[str, Value]", lengths: Mapping[str | int, int], past: "Past | None"
    ) -> "tuple[dict[str, Value], Past]":
        """One run on all inputs, as arrays of the model's own numbers."""
        assert not isinstance(past, Encoded)
        if isinstance(past, Buffers):
            self._fits(lengths, past)
            return dict(zip(self.outputs, self._in_place(given, lengths, past), strict=True)), past
        before = self._nothing(lengths) if past is None else past
        every = {**given, **dict(zip(self.past, before, strict=True))}
        names = [*self.outputs, *self.present]
        there = self.device == "cuda"
        found = self._run_there(every, names) if there else self._runtime.run(names, every)
        kept = len(self.outputs)
        return dict(zip(self.outputs, found[:kept], strict=True)), tuple(found[kept:])

    def _in_place(
        self, given: "Mapping[str, Value]", lengths: Mapping[str | int, int], past: Buffers
    ) -> "tuple[Array, ...]":
        """The outputs of a run on buffers; where steps are `fixed`, the next one is like it."""
        if not self.fixed or lengths.get(self._new) != 1:
            return past.places.step(given, tuple(self.outputs))
        wide = dict(given)
        for name, shape in self.inputs.items():
            if name in given and len(shape) == 2 and shape[1] in self._seen:
                wide[name] = _widened(given[name], past.length)
        sizes = {**lengths, **dict.fromkeys(self._seen, past.length)}
        shapes = {
            name: (tuple(sizes.get(size, size) for size in shape), self._made[name])
            for name, shape in self.outputs.items()
        }
        return past.places.step_again(wide, shapes)

    @cached_property
    def _seen(self) -> frozenset[str | int]:
        """The letters of how many positions have been seen."""
        return frozenset(shape[-2] for shape in self.present.values())

    @cached_property
    def _new(self) -> str | int:
        """The letter of how many positions are new."""
        found = (
            shape[1]
            for name, shape in self.inputs.items()
            if len(shape) == 2 and shape[1] not in self._seen and self.kinds[name] == "int64"
        )
        return next(found, 0)

    def _run_there(self, given: "Mapping[str, Value]", names: list[str]) -> "list[Value]":
        """One run on a device, where some of it `stays`."""
        binding = self._runtime.io_binding()
        for name, value in given.items():
            bind_input(binding, name, value)
        for name in names:
            binding.bind_output(name, self.device if name in self.stays else "cpu")
        self._runtime.run_with_iobinding(binding, self._options)
        made = zip(names, binding.get_outputs(), strict=True)
        return [value if name in self.stays else value.numpy() for name, value in made]

    def buffers(self, batch: int, length: int) -> Buffers:
        """Room for all that a decoder keeps of `batch` sequences of up to `length` positions.

        Of a model that `shares`. Raises MemoryError where there is not as much.
        """
        size = batch, length
        if not self.captures:
            return Buffers(self._places(size), length)
        places = self._again(size) or self._anew(size)
        found = Buffers(places, length)
        finalize(found, self._ended.give, size, places)
        return found

    def _again(self, size: tuple[int, int]) -> Places | None:
        """Places where a sequence has ended, with the launches that were captured of its steps."""
        places = self._ended.take(size)
        for name, value in places.values.items() if places else ():
            clear(value, self.kinds[name])
        return places

    def _anew(self, size: tuple[int, int]) -> Places:
        """Further places, if need be in the room of those where sequences have ended."""
        try:
            return self._places(size)
        except MemoryError:
            self._ended.drop()
            return self._places(size)

    def _places(self, size: tuple[int, int]) -> Places:
        """New places for a batch of sequences of a length."""
        batch, length = size
        pairs = dict(zip(self.past, self.present, strict=True))
        values = {
            name: zeros((batch, *shape[1:-2], length, shape[-1]), self.kinds[name], self.device)
            for name, shape in self.past.items()
        }
        graphs = self._graphs if self.captures else None
        return Places(self._runtime, self.device, pairs, values, graphs)

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
        seen = max(lengths.get(size, 0) for size in self._seen)
        if seen > buffers.length:
            raise ValueError(f"{seen} positions do not fit into a cache of {buffers.length}")

    def _nothing(self, lengths: Mapping[str | int, int]) -> "tuple[Value, ...]":
        """What a decoder has kept before the first step: nothing, in its shapes."""
        import numpy as np

        sizes = {
            name: [lengths.get(size, 0) if isinstance(size, str) else size for size in shape]
            for name, shape in self.past.items()
        }
        if self.device == "cpu":
            return tuple(np.zeros(shape, self.kinds[name]) for name, shape in sizes.items())
        return tuple(zeros(shape, self.kinds[name], "cpu") for name, shape in sizes.items())


def _widened(mask: "Value", length: int) -> "Array":
    """A mask [B, S] of a sequence's end, behind as many hidden places as make it [B, length]."""
    import numpy as np

    assert isinstance(mask, np.ndarray)
    return np.pad(mask, ((0, 0), (length - mask.shape[1], 0)))


def _kind(each: "onnxruntime.NodeArg") -> str:
    if each.type not in WORDS:
        raise CannotAnswer(
            f"`{each.name}` of the model is {each.type}, which is no array of numbers"
        )
    return WORDS[each.type]


def _sized(shape: tuple[Any, ...], beside: Beside) -> tuple[Any, ...]:
    """The shape of what is kept; where its last size is a letter, as it is said beside."""
    *rest, last = shape
    return (*rest, beside.head_size or last if isinstance(last, str) else last)
