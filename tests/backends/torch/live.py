"""Generated source as a live module beside the program that it must agree with."""

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

import archspec
from compiler.backends.torch import Facts, Generated, torch_source
from compiler.ir.program import Program
from compiler.ir.size import Size, value
from compiler.lower import lower
from compiler.passes.fold import fold
from compiler.passes.fuse import fuse, fusions
from compiler.passes.shapes import shapes
from tests.backends.torch.interpreter import Interpreter

torch.set_num_threads(1)  # Tensors are tiny here, and a second thread would only be waited for.

FACTS = Facts("0", "specs/x.yaml", "0" * 64, "archc build specs/x.yaml", "1 param")


@dataclass(frozen=True)
class Live:
    """A lowered program, what it generates, and random weights for both.

    In float64, so that a difference is a mistake and no rounding that deep random models magnify;
    what the product always does in float32 (angles, some norms) leaves about 1e-7.
    """

    plain: Program
    seed: int = 0

    @cached_property
    def fused(self) -> Program:
        """The program that the source is made from."""
        return shapes(fuse(fold(self.plain)))

    @cached_property
    def generated(self) -> Generated:
        """The source."""
        return torch_source(self.fused, FACTS)

    @cached_property
    def weights(self) -> dict[str, Tensor]:
        """A random tensor for every parameter of the program as it was lowered."""
        draw = torch.Generator().manual_seed(self.seed)
        sizes = self.plain.key.sizes
        return {
            name: torch.randn([value(n, sizes) for n in found.shape], generator=draw).double() * 0.4
            for name, found in self.plain.parameters().items()
        }

    @cached_property
    def model(self) -> nn.Module:
        """The generated model, its weights joined as the fused program says, loaded strictly."""
        module = ModuleType("generated")
        exec(compile(self.generated.text, "<generated>", "exec"), module.__dict__)
        model: nn.Module = getattr(module, self.generated.name)().double()
        state = dict(self.weights)
        for whole, parts in fusions(self.fused).items():
            for kind in ("weight", "bias"):
                join_parts(state, f"{whole}.{kind}", [f"{part}.{kind}" for part in parts])
        model.load_state_dict(state)
        return model.eval()

    def expected(self, inputs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The outputs by the definitions of the operators."""
        return Interpreter(self.plain, self.weights).run(inputs)

    def found(self, inputs: Mapping[str, Any], method: str = "forward") -> tuple[Any, ...]:
        """The outputs of the generated model."""
        function = getattr(self.model, method)
        takes = {name: self._name(name, function) for name in inputs}
        with torch.no_grad():
            result = function(**{takes[k]: v for k, v in inputs.items() if takes[k]})
        return result if isinstance(result, tuple) else (result,)

    def _name(self, name: str, function: Any) -> str:
        """The parameter of an input: its own name, or that with dimensions behind it."""
        parameters = list(inspect.signature(function).parameters)
        suffixed = [n for n in parameters if re.fullmatch(rf"{name}_[A-Z0-9]*[A-Z]+[A-Z0-9]*", n)]
        return next((n for n in (name, *suffixed) if n in parameters), "")

    def inputs(self, batch: int = 2, length: int = 5, **lengths: int) -> dict[str, Any]:
        """Random inputs: ids below every vocabulary, the last row padded; no cache."""
        draw = torch.Generator().manual_seed(self.seed + 1)
        key = self.plain.key
        free = {n: length for n, known in key.key.items() if known.size is None}
        sizes = {**free, **key.sizes, **lengths, "B": batch}
        rows = {r: min((k.size or 0 for k in key.key.values() if k.role == r), default=1)
                for r in ("vocabulary", "types")}  # fmt: skip
        found: dict[str, Any] = {}
        for name, entry in self.plain.main.inputs.items():
            kind = self.plain.main.type(entry)
            if not kind.shape or (kind.optional and kind.element == "float"):
                continue
            shape = [_at(size, sizes) for size in kind.shape]
            if kind.element == "float":
                found[name] = torch.randn(shape, generator=draw).double()
            elif kind.element == "bool":
                found[name] = torch.ones(shape, dtype=torch.bool)
                found[name][-1, length // 2 :] = False
            else:
                most = rows["types" if kind.optional else "vocabulary"]
                found[name] = torch.randint(most, shape, generator=draw)
        return found

    def cache(self, batch: int, slots: int) -> dict[str, Tensor]:
        """Empty caches with room for `slots` positions."""
        sizes = {**self.plain.key.sizes, "B": batch, "C": slots}
        main = self.plain.main
        kinds = {name: main.type(entry) for name, entry in main.inputs.items()}
        return {
            name: torch.zeros([_at(size, sizes) for size in kind.shape]).double()
            for name, kind in kinds.items()
            if kind.optional and kind.element == "float"
        }

    def apart(self, inputs: Mapping[str, Any]) -> float:
        """The largest difference of any output, relative to outputs above one."""
        pairs = zip(self.found(inputs), self.expected(inputs), strict=True)
        return max(apart(found, wanted) for found, wanted in pairs)


def join_parts(state: dict[str, Tensor], whole: str, parts: Sequence[str]) -> None:
    """Put one parameter in the place of its parts; those with `{j}` are there for each expert."""
    if "{j}" not in parts[0]:
        if parts[0] in state:
            state[whole] = torch.cat([state.pop(part) for part in parts])
        return
    members: list[Tensor] = []
    while parts[0].format(j=len(members)) in state:
        names = [part.format(j=len(members)) for part in parts]
        members.append(torch.cat([state.pop(name) for name in names]))
    if members:
        state[whole] = torch.stack(members)


def apart(found: Tensor, wanted: Tensor) -> float:
    """The largest difference of two tensors, in units of the largest element where that is above
    one."""
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    assert torch.isfinite(wanted).all()
    return ((found - wanted).abs().max() / wanted.abs().max().clamp(min=1)).item()


def live(spec: Mapping[str, Any], seed: int = 0) -> Live:
    """A spec in a mapping, compiled."""
    program = lower(archspec.load(spec))
    assert isinstance(program, Program), program
    return Live(program, seed)


def _at(size: Size, sizes: Mapping[str, int]) -> int:
    return value(size, sizes)
