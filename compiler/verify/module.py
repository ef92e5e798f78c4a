"""Generated source as a live module: imported from text, with seeded weights, called by name."""

import inspect
import linecache
import re
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from compiler.backends.torch import Generated
from compiler.ir.program import Program
from compiler.shadow.encoded import encoded
from compiler.verify.experts import even_experts
from compiler.verify.queries import even_scores

if TYPE_CHECKING:
    from torch import Tensor, nn

SUFFIX: Final = re.compile(r"_[A-Z0-9]*[A-Z][A-Z0-9]*$")


def load_module(text: str, name: str) -> ModuleType:
    """The module that `text` is the source of. Nothing is written; tracebacks show its lines."""
    file = source_name(name)
    module = ModuleType(name)
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), module.__dict__)
    return module


def source_name(name: str) -> str:
    """The file name that the frames of a module made from text carry."""
    return f"<generated {name}>"


def build(
    generated: Generated, *, device: str = "cpu", seed: int = 0, program: Program | None = None
) -> "nn.Module":
    """The generated model in evaluation mode, with weights that make every part of it count.

    With the fused `program` that it was made from, queries are as wide as its attention expects and
    experts count as much as other maps. On the meta device there are shapes and no numbers.
    """
    import torch

    with torch.device(device):
        made: nn.Module = getattr(load_module(generated.text, generated.name), generated.name)()
    if device != "meta":
        shake(made, seed)
        if program is not None:
            even_scores(made, program)
            even_experts(made, program)
    return made.eval()


def shake(model: "nn.Module", seed: int = 0) -> None:
    """Draw every weight anew: matrices by fan-in, gains around one, biases around zero.

    A model as it is born hides mistakes: its biases are zero, its gains one, its attention even.
    A vector that is born of zeros stays around them: some norms add one to what they hold.
    """
    import torch

    draw = torch.Generator().manual_seed(seed)
    kept = model.state_dict(keep_vars=True)
    buffers = {name: tensor for name, tensor in model.named_buffers() if name in kept}
    for name, parameter in {**dict(model.named_parameters()), **buffers}.items():
        noise = torch.randn(parameter.shape, generator=draw)
        wide = parameter.dim() > 1
        scale = (parameter[0].numel() ** -0.5) if wide else 0.1
        born_empty = name.endswith("bias") or not bool(parameter.any())
        gain = 0.0 if wide or born_empty else 1.0
        with torch.no_grad():
            parameter.copy_(gain + scale * noise)


def arguments(method: Any) -> dict[str, str]:
    """The parameters of a generated method by the name of the value: `ids_BT` is `ids`."""
    found = inspect.signature(method).parameters
    return {name if p.annotation is int else plain_name(name): name for name, p in found.items()}


def plain_name(name: str) -> str:
    """A tensor's name without its dimensions."""
    return SUFFIX.sub("", name)


def call(method: Any, values: Mapping[str, Any]) -> "tuple[Tensor, ...]":
    """The outputs of a model or of a method of it; what it does not take is left out."""
    takes = arguments(getattr(method, "forward", method))
    found = method(**{takes[name]: value for name, value in values.items() if name in takes})
    return found if isinstance(found, tuple) else (found,)


def of_source(model: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """What `decode` of a model takes of the source, by name; `values` are its inputs."""
    methods = (model.encode, model.decode)
    takes = {name: own for method in methods for name, own in arguments(method).items()}
    given = {takes[name]: value for name, value in values.items() if name in takes}
    return {plain_name(name): each for name, each in encoded(model, given).items()}
