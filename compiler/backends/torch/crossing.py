"""The method of a model that makes the keys and values of a source for all layers of its
decoder."""

from collections.abc import Iterable

from archspec.source.frozen import Frozen
from compiler.backends.torch.lines import Line, Lines
from compiler.backends.torch.module import argument, returned
from compiler.ir.graph import Repeat, Value
from compiler.ir.methods import ALL, ONE
from compiler.passes.keys_apart import Kept, SourceKeys

SAYS = '"""Keys and values of the source for each layer that reads it, the same at every step."""'


class Crossing(Frozen):
    """Writes it, and says what it gives: a list of tensors for the layers of each stack."""

    keys: SourceKeys

    @property
    def names(self) -> dict[str, str]:
        """What a step calls that, by the ids of the stacks."""
        ids = list(self.keys.kept)
        return {id_: ALL if len(ids) == 1 else f"{id_}_{ALL}" for id_ in ids}

    @property
    def declared(self) -> list[str]:
        """Its parameters of `decode`."""
        return [f"{name}: {self._type(self.keys.kept[id_])}" for id_, name in self.names.items()]

    @property
    def call(self) -> str:
        """What gives all of it, as arguments of `decode`."""
        star = "*" if len(self.names) > 1 else ""
        return f"{star}self.{ALL}({self._given(self.keys.read)})"

    def lines(self) -> Lines:
        """The method."""
        kept = self.keys.kept
        taken = (f"{argument(self.keys.main, value)}: Tensor" for value in self.keys.read)
        types = [self._type(each) for each in kept.values()]
        result = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
        made = [self._made(each) for each in kept.values()]
        named = []
        if len(made) > 1:
            pairs = zip(self.names.values(), made, strict=True)
            named = [Line(2, f"{name} = {each}") for name, each in pairs]
            made = list(self.names.values())
        return [
            Line(1, f"def {ALL}(self, {', '.join(taken)}) -> {result}:"),
            Line(2, SAYS),
            *named,
            Line(2, f"return {', '.join(made)}"),
        ]

    def _type(self, kept: Kept) -> str:
        each = returned(kept.layer.count)
        return f"list[{each}]" if isinstance(kept.node.what, Repeat) else each

    def _made(self, kept: Kept) -> str:
        module = f"self.{kept.node.under or kept.node.id}"
        if not isinstance(kept.node.what, Repeat):
            return self._one(kept, module)
        return f"[{self._one(kept, 'block')} for block in {module}]"

    def _one(self, kept: Kept, module: str) -> str:
        """What makes that of one layer."""
        calls = [
            f"{'.'.join((module, *maker.path, ONE))}({self._given(maker.read)})"
            for maker in kept.layer.makers
        ]
        return calls[0] if len(calls) == 1 else f"({', '.join(f'*{call}' for call in calls)})"

    def _given(self, read: Iterable[Value]) -> str:
        return ", ".join(argument(self.keys.main, value) for value in read)
