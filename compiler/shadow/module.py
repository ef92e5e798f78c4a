"""What every module of torch is."""

from collections.abc import Sequence
from typing import Any

from compiler.shadow.tensor import Tensor, through


class Module:
    """A module: a call is its `forward`. Nothing is drawn, so it has no modules to go through."""

    forward: Any
    training = False
    _listed = False
    """Whether it is one of a list of them; no child is called so, for names begin with letters."""

    def __init__(self) -> None:
        """Nothing to set up."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        if not self._listed:
            return self.forward(*given, **named)
        tensors = [x for x in given if isinstance(x, Tensor)]
        places = [i for i, x in enumerate(given) if isinstance(x, Tensor)]
        rest = [None if isinstance(x, Tensor) else x for x in given]

        def again(entered: Sequence[Tensor]) -> Any:
            for place, x in zip(places, entered, strict=True):
                rest[place] = x
            result = self.forward(*rest, **named)
            for place in places:
                rest[place] = None
            return result

        tape = tensors[0].tape
        with tape.layer():
            with tape.again("full") as forgets:
                result = self.forward(*given, **named)
            return through(result, tensors, again) if forgets else result

    def modules(self) -> tuple[()]:
        """None: this is what weights are drawn with."""
        return ()

    named_modules = modules
